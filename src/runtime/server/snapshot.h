/*
 * Persistent runs: saves the memory of the process before main, and restores it after each run.
 *
 * All memory that is writable and private to the process is restored, including the data of the C
 * library and the runtime: stdio's buffers, exit handlers, the scheduler. So each run finds it all
 * as in a new process, and no other code has to care about earlier runs.
 */
#ifndef RUNTIME_SERVER_SNAPSHOT_H
#define RUNTIME_SERVER_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Descriptors that stay open between runs have at least this number. */
#define SNAPSHOT_FD 900

/*
 * Excludes a mapping from being restored: its user initialises it again. Call before
 * snapshot_save().
 */
void snapshot_exclude(const void *from, size_t bytes);

/* Returns zeroed memory that is not restored between runs, or NULL. It costs a mapping. */
void *snapshot_lasting(size_t bytes);

/*
 * Saves the memory. The main thread's stack will be used from `stack` downwards; the part above
 * belongs to the snapshot. Returns false and the reason if it is not possible.
 */
bool snapshot_save(const void *stack, const char **why);

/*
 * Restores the memory. Must not run on a stack that is restored, or use thread-local variables.
 * `touched`: pages may have been written that were not written before. For writes of the calling
 * thread, snapshot_touched() says whether that is so.
 */
void snapshot_restore(bool touched);
bool snapshot_touched(void);

#endif
