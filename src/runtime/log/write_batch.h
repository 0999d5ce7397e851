/*
 * How full blocks of a thread's own lane get to the log: one by one, or, from a thread that writes
 * much in a trace that is long, many at once. Such a thread has a batch (ring.h), to which its blocks
 * are copied; when it is full they are written together.
 */
#ifndef RUNTIME_LOG_WRITE_BATCH_H
#define RUNTIME_LOG_WRITE_BATCH_H

#include "runtime/log/log.h"

/* The calling thread's; zero: it has none. */
struct write_batch {
	struct wire_block *first; /* of its chunks */
	unsigned filled;
};

/*
 * A block of a lane, behind all that came before it. LOG_WRITTEN: it is in the log, or in a batch,
 * where a reader finds it as it would in the lane.
 */
enum log_result write_batch_append(struct write_batch *batch, const struct wire_block *block);

/* The stream ends with this block: it and the batch are written, and the batch is given back. */
enum log_result write_batch_end(struct write_batch *batch, const struct wire_block *last);

#endif
