/* Making the bytes of a trace: the records of any number of streams, as the blocks of a log. */
#ifndef TRACE_WRITE_H
#define TRACE_WRITE_H

#include "event/event.h"
#include "trace/trace.h"

struct trace_writer;

/* The fields a kind does not list are ignored; `time` is absolute and must not go back. */
struct write_record {
	enum event_kind kind;
	uint64_t pc, time, sequence, a, b, n, m;
	const void *bytes; /* for '*' */
	size_t size;
};

struct trace_writer *trace_writer_open(void);

/* A stream whose events are a signal handler's. Call it before the stream's first record. */
void trace_writer_set_host(struct trace_writer *w, uint32_t stream, uint32_t host);

/* Kinds without a time get a TIME record before them when time has passed. */
void trace_write(struct trace_writer *w, uint32_t stream, const struct write_record *record);

/* Bytes as they are: a whole segment. */
void trace_write_raw(struct trace_writer *w, uint32_t stream, const void *bytes, size_t size);

/* Where the next record of the stream will start. */
struct trace_position trace_writer_position(struct trace_writer *w, uint32_t stream);

/* Ends all streams; the log, to be freed by the caller. The writer is gone. */
uint8_t *trace_writer_finish(struct trace_writer *w, size_t *bytes);

#endif
