/*
 * The file `ring`: the chunks that threads use as thread buffers. The file is mapped shared, so its
 * contents survive if the process is killed. The pool grows with the number of live threads and
 * never shrinks.
 */
#ifndef RUNTIME_LOG_RING_H
#define RUNTIME_LOG_RING_H

#include "event/wire.h"

#include <stdbool.h>

/*
 * Opens the pool in a directory. `dir` is NULL if the contents will never be read. Returns false if
 * it fails.
 */
bool ring_open(const char *dir);

/* Returns a chunk for a thread buffer, or NULL if the file cannot grow. Async-signal-safe. */
struct wire_block *ring_take(void);
void ring_give(struct wire_block *chunk);

/*
 * Returns RING_BATCH consecutive chunks that are not live (WIRE_BLOCK_LIVE), or NULL if all batches
 * are taken or the file cannot grow. The chunks must not be live when they are returned, either.
 */
#define RING_BATCH 16u
struct wire_block *ring_take_batch(void);
void ring_give_batch(struct wire_block *first);

/* Is any chunk or batch in use? */
bool ring_in_use(void);

/* Removes the file. The mappings stay, so threads that still run can write to them without harm. */
void ring_remove(void);

/* To be called in the child of a fork: unmaps the parent's pool. */
void ring_forget(void);

#endif
