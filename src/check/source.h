/*
 * Reads the trace's streams, with one event of look-ahead each. Events without an index are
 * skipped.
 */
#ifndef CHECK_SOURCE_H
#define CHECK_SOURCE_H

#include "check/record.h"

struct checker_source;

struct checker_source *checker_source_open(const struct trace *trace);
void checker_source_close(struct checker_source *source);

/* Returns the position of the stream of the thread that owns a stream (trace_stream_owner()). */
uint32_t checker_source_thread(const struct checker_source *source, uint32_t stream);

/*
 * Reads the next event of a stream. Returns false at the end of the stream, or where it cannot be
 * read further. Long values of the record are valid until the next call for this stream.
 */
bool checker_source_take(struct checker_source *source, uint32_t stream,
			 struct checker_record *record);

/* Does the stream have another event? */
bool checker_source_more(struct checker_source *source, uint32_t stream);

/*
 * To be called after the last event: did the thread continue unrecorded, because of a limit, or was
 * the rest damaged?
 */
bool checker_source_is_cut(const struct checker_source *source, uint32_t stream);

#endif
