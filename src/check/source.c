/* A cursor for each stream, with one event of look-ahead, which shows how a WAIT ended. */
#include "check/source.h"

#include "base/hash.h"
#include "base/mem.h"
#include "trace/point.h"

#include <stdlib.h>
#include <string.h>

struct source_stream {
	struct trace_cursor *cursor;
	struct trace_event head;
	uint32_t thread;
	bool fetched, over, cut;
};

struct checker_source {
	const struct trace *trace;
	uint32_t count;
	struct source_stream *streams;
};

struct checker_source *checker_source_open(const struct trace *trace)
{
	struct checker_source *source = mem_zalloc(1, sizeof *source);

	source->trace = trace;
	source->count = trace_stream_count(trace);
	source->streams = mem_zalloc(source->count, sizeof *source->streams);
	for (uint32_t i = 0; i < source->count; i++) {
		source->streams[i].cursor = trace_cursor_open(trace, i);
		source->streams[i].thread = trace_stream_owner(trace, i);
	}
	return source;
}

void checker_source_close(struct checker_source *source)
{
	if (!source)
		return;
	for (uint32_t i = 0; i < source->count; i++)
		trace_cursor_close(source->streams[i].cursor);
	free(source->streams);
	free(source);
}

uint32_t checker_source_thread(const struct checker_source *source, uint32_t stream)
{
	return source->streams[stream].thread;
}

bool checker_source_more(struct checker_source *source, uint32_t i)
{
	struct source_stream *stream = &source->streams[i];
	struct err err;

	while (!stream->fetched && !stream->over) {
		err.text[0] = 0;
		stream->over = !trace_next(stream->cursor, &stream->head, &err);
		stream->fetched = !stream->over && stream->head.index != TRACE_NO_INDEX;
		stream->cut |= stream->over ? err.text[0] != 0 : stream->head.kind == EV_STOP;
	}
	return stream->fetched;
}

bool checker_source_is_cut(const struct checker_source *source, uint32_t i)
{
	return source->streams[i].cut;
}

/* Returns how a wait ended, as enum checker_bit. The event that follows the wait shows it. */
static uint8_t find_wait_result(struct checker_source *source, const struct checker_record *wait)
{
	const struct trace_event *next = &source->streams[wait->stream].head;

	if (!checker_source_more(source, wait->stream))
		return 0; /* it never returned */
	if (next->kind != EV_WOKEN || next->address != wait->address)
		return CHECKER_ASTRAY;
	return next->mode ? CHECKER_TIMES_OUT : 0;
}

/*
 * Reads the probes sooth:atomic_begin and sooth:atomic_end. Stores a hash of the region's name,
 * because names are only compared.
 */
static void read_region(const struct source_stream *stream, struct checker_record *record)
{
	struct trace_point point;
	bool begins;

	record->mode = CHECKER_NO_REGION;
	if (!trace_read_point(stream->cursor, &stream->head, &point) || point.kind != POINT_PROBE ||
	    !point.count || !point.arguments[0].known || point.arguments[0].type != POINT_STRING)
		return;
	begins = !strcmp(point.function, "sooth:atomic_begin");
	if (!begins && strcmp(point.function, "sooth:atomic_end"))
		return;
	record->mode = begins ? CHECKER_REGION_BEGINS : CHECKER_REGION_ENDS;
	record->other =
		hash_bytes(HASH_FNV_START, point.arguments[0].text, point.arguments[0].length);
}

bool checker_source_take(struct checker_source *source, uint32_t i, struct checker_record *record)
{
	struct source_stream *stream = &source->streams[i];

	if (!checker_source_more(source, i))
		return false;
	checker_record_init(record, &stream->head, i, stream->thread);
	record->foreign = !stream->head.site && trace_has_sites(source->trace);
	if (record->kind == EV_PROBE || record->kind == EV_POINT)
		read_region(stream, record);
	stream->fetched = false;
	if (record->kind == EV_WAIT)
		record->bits |= find_wait_result(source, record);
	return true;
}
