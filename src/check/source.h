/* Reads the trace's streams, with one event of look-ahead each; notes are left out. */
#ifndef CHECK_SOURCE_H
#define CHECK_SOURCE_H

#include "check/record.h"

struct checker_source;

struct checker_source *checker_source_open(const struct trace *trace);
void checker_source_close(struct checker_source *source);

/* The position of the stream of the thread that executed a stream (trace_stream_owner()). */
uint32_t checker_source_thread(const struct checker_source *source, uint32_t stream);

/*
 * Reads the next event of a stream. Returns false at its end, or where it cannot be read further.
 * Far values of the record are valid until the next call for this stream.
 */
bool checker_source_take(struct checker_source *source, uint32_t stream,
			 struct checker_record *record);

/* Is there another event? */
bool checker_source_more(struct checker_source *source, uint32_t stream);

/* After the last event: did the thread continue unrecorded, because of a limit or of damage? */
bool checker_source_is_cut(const struct checker_source *source, uint32_t stream);

#endif
