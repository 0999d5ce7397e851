/*
 * Persistent runs: the memory of the process as it was before main, and back to it after each run.
 *
 * All that is writable and private to the process is restored, the C library's data and the
 * runtime's own included: stdio's buffers, the exit handlers, the scheduler, all are as a new
 * process has them, and no part of the program needs to know.
 */
#ifndef RUNTIME_SERVER_SNAPSHOT_H
#define RUNTIME_SERVER_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Descriptors that stay open between runs are here and above. */
#define SNAPSHOT_FD 900

/* A mapping that is to be left alone: it is made anew by whoever uses it. Before snapshot_take. */
void snapshot_exclude(const void *from, size_t bytes);

/*
 * Memory that is not lost when all is restored, zeroed; NULL: there is none. It costs a mapping.
 */
void *snapshot_lasting(size_t bytes);

/*
 * Remembers everything. `stack` is where the main thread's stack will be used from, downwards: what
 * is above belongs to the snapshot. False, with the reason: it cannot be done.
 */
bool snapshot_take(const void *stack, const char **why);

/*
 * Memory is as it was. Must not run on a stack, or use thread-local variables, that are restored.
 * `touched`: pages may have been written that were not before. Snapshot_touched knows it of what the
 * calling thread wrote.
 */
void snapshot_restore(bool touched);
bool snapshot_touched(void);

#endif
