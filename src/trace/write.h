/* Writes a trace: the records of any number of streams, as the blocks of a log. */
#ifndef TRACE_WRITE_H
#define TRACE_WRITE_H

#include "event/event.h"
#include "trace/trace.h"

struct trace_writer;

/* Fields that the kind does not have are ignored; `time` is absolute and must not go back. */
struct write_record {
	enum event_kind kind;
	uint64_t pc, time, sequence, a, b, n, m;
	const void *bytes; /* for field '*' */
	size_t size;
};

struct trace_writer *trace_writer_open(void);

/*
 * Declares `stream` to be the stream of a signal handler that interrupts stream `host`. Call it
 * before the stream's first record.
 */
void trace_writer_set_host(struct trace_writer *w, uint32_t stream, uint32_t host);

/* Writes a record. If its kind has no time and `time` has advanced, writes a TIME record first. */
void trace_write(struct trace_writer *w, uint32_t stream, const struct write_record *record);

/* Appends encoded bytes, for example a whole segment. */
void trace_write_raw(struct trace_writer *w, uint32_t stream, const void *bytes, size_t size);

/* Returns where the next record of the stream will start. */
struct trace_position trace_writer_position(struct trace_writer *w, uint32_t stream);

/* Ends all streams and frees the writer. Returns the log, which the caller frees. */
uint8_t *trace_writer_finish(struct trace_writer *w, size_t *bytes);

#endif
