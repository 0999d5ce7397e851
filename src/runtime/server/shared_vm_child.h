/*
 * Lent memory: a process for each run that works in the server's own memory (CLONE_VM), which is
 * restored afterwards (snapshot.h). Descriptors, handlers, timers, limits and threads of the kernel
 * are the process's own and end with it, as if it had been forked; but no tables of pages are copied
 * and no page is, so that it costs a tenth of a fork.
 *
 * What a run does to mappings stays, so those of before main must not be changed, and what it maps is
 * removed (resources.h). A program that cannot be run so is forked.
 */
#ifndef RUNTIME_SERVER_SHARED_VM_CHILD_H
#define RUNTIME_SERVER_SHARED_VM_CHILD_H

#include <stdbool.h>

/* Before snapshot_take, in the main thread. False, with the reason: it cannot be done here. */
bool shared_vm_child_start(const char **why);

/*
 * Calls routine(NULL), which must not return, in a process of its own with its stack below `stack`,
 * and waits for its end: the status, as of wait4. `touched`: it had page faults, so it may have
 * written what no run has written before. The caller may write nothing that is restored meanwhile.
 */
bool shared_vm_child_run(int (*routine)(void *), void *stack, int *status, bool *touched);

/* In that process, first of all: the kernel is told of the main thread what it knows of the server's. */
void shared_vm_child_begin(void);

/* After resources_restore_mappings: the heap of the C library ends where it did. */
void shared_vm_child_restore(void);

/*
 * Is nothing mapped but what was? Mappings that the C library makes for itself are not seen where
 * they are made. Looked at seldom: it takes 50 µs. Behind it memory is to be restored.
 */
bool shared_vm_child_mappings_kept(void);

#endif
