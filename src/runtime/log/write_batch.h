/*
 * Writes full blocks of a thread's own buffer to the log: one by one, or, for a thread that writes
 * much in a long trace, many at once. Such a thread has a batch (ring.h). Its blocks are copied to
 * the batch, and when the batch is full, they are written together.
 */
#ifndef RUNTIME_LOG_WRITE_BATCH_H
#define RUNTIME_LOG_WRITE_BATCH_H

#include "runtime/log/log.h"

/* The batch of the calling thread; all zero if it has none. */
struct write_batch {
	struct wire_block *first; /* the first chunk of the batch */
	unsigned filled;
};

/*
 * Appends a block of a thread buffer; it follows all earlier blocks of that buffer. LOG_WRITTEN
 * means that the block is in the log or in the batch, where a reader finds it, too.
 */
enum log_result write_batch_append(struct write_batch *batch, const struct wire_block *block);

/*
 * Appends the last block of a stream: writes the batch and the block, and returns the batch to the
 * pool.
 */
enum log_result write_batch_end(struct write_batch *batch, const struct wire_block *last);

#endif
