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

/* Makes a stream a signal handler's. Call it before the stream's first record. */
void trace_writer_set_host(struct trace_writer *w, uint32_t stream, uint32_t host);

/* A record of a kind without a time gets a TIME record before it if time has passed. */
void trace_write(struct trace_writer *w, uint32_t stream, const struct write_record *record);

/* Appends bytes as they are: a whole segment. */
void trace_write_raw(struct trace_writer *w, uint32_t stream, const void *bytes, size_t size);

/* Returns where the next record of the stream will start. */
struct trace_position trace_writer_position(struct trace_writer *w, uint32_t stream);

/* Ends all streams and frees the writer. Returns the log, which the caller frees. */
uint8_t *trace_writer_finish(struct trace_writer *w, size_t *bytes);

#endif
