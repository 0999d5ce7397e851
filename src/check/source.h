/* The trace's streams, each with its next event at hand; notes are left out. */
#ifndef CHECK_SOURCE_H
#define CHECK_SOURCE_H

#include "check/record.h"

struct checker_source;

struct checker_source *checker_source_open(const struct trace *trace);
void checker_source_close(struct checker_source *source);

/* The position of the stream of the thread that executed a stream (trace_stream_owner()). */
uint32_t checker_source_thread(const struct checker_source *source, uint32_t stream);

/* The next event of a stream; false at its end, or where it cannot be read further. Far values of
 * the record are good until the stream is asked again. */
bool checker_source_take(struct checker_source *source, uint32_t stream,
			 struct checker_record *record);

/* Is there another one? */
bool checker_source_more(struct checker_source *source, uint32_t stream);

/* After the last one: did the thread go on unseen, because of a limit or of damage? */
bool checker_source_is_cut(const struct checker_source *source, uint32_t stream);

#endif
