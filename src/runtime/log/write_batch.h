/*
 * How full blocks of a thread's own buffer get to the log: one by one, or, for a thread that writes
 * much in a long trace, many at once. Such a thread has a batch (ring.h), to which its blocks are
 * copied; when the batch is full, they are written together.
 */
#ifndef RUNTIME_LOG_WRITE_BATCH_H
#define RUNTIME_LOG_WRITE_BATCH_H

#include "runtime/log/log.h"

/* The batch of the calling thread; all zero if it has none. */
struct write_batch {
	struct wire_block *first; /* the first of its chunks */
	unsigned filled;
};

/*
 * Appends a block of a thread buffer after all earlier ones. LOG_WRITTEN means that it is in the
 * log, or in a batch, where a reader finds it as it would in the buffer.
 */
enum log_result write_batch_append(struct write_batch *batch, const struct wire_block *block);

/*
 * Appends the last block of a stream: it and the batch are written, and the batch is returned to
 * the pool.
 */
enum log_result write_batch_end(struct write_batch *batch, const struct wire_block *last);

#endif
