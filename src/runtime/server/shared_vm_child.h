/*
 * A process for each run that works in the server's own memory (CLONE_VM), which is restored
 * afterwards (snapshot.h). Descriptors, handlers, timers, limits and kernel threads belong to the
 * process and end with it, as if it had been forked. But neither page tables nor pages are copied,
 * so it costs a tenth of a fork.
 *
 * Changes to mappings remain. So mappings from before main must not be changed, and those that a
 * run makes are removed (resources.h). A program that cannot be run in this way is forked.
 */
#ifndef RUNTIME_SERVER_SHARED_VM_CHILD_H
#define RUNTIME_SERVER_SHARED_VM_CHILD_H

#include <stdbool.h>

/* Call before snapshot_save(), in the main thread. False, with the reason: not possible. */
bool shared_vm_child_start(const char **why);

/*
 * Calls routine(NULL), which must not return, in a new process with its stack below `stack`. Waits
 * for the end of that process and stores the status in the format of wait4(). `touched`: the
 * process had page faults, so it may have written pages that no run has written before. Meanwhile
 * the caller must not write anything that is restored.
 */
bool shared_vm_child_run(int (*routine)(void *), void *stack, int *status, bool *touched);

/*
 * Call first in that process: registers the main thread with the kernel, as the C library did in
 * the server.
 */
void shared_vm_child_begin(void);

/* After resources_restore_mappings(): resets the end of the C library's heap. */
void shared_vm_child_restore(void);

/*
 * Are the mappings the same as after the first run? The C library makes mappings that we do not
 * see. Check seldom: it takes 50 µs, and memory has to be restored afterwards.
 */
bool shared_vm_child_mappings_unchanged(void);

#endif
