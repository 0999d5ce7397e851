/* Reads the streams of a trace once and keeps, for each event, the number of steps before it. */
#include "explore/control/recorded.h"

#include "base/mem.h"
#include "base/vec.h"
#include "trace/sites.h"

#include <assert.h>

struct recorded {
	const struct trace *trace;
	/*
	 * by position of the stream: the number of steps before each event; one more entry for the
	 * end
	 */
	struct {
		uint32_t *items;
		size_t count, room;
	} * streams;
};

static void count_steps_of_stream(struct recorded *r, uint32_t i, uint64_t goal)
{
	struct trace_cursor *cursor = trace_cursor_open(r->trace, i);
	struct trace_event ev = { .index = TRACE_NO_INDEX };
	uint64_t end = 0;
	struct err err;

	while ((ev.index == TRACE_NO_INDEX || ev.index <= goal) && trace_next(cursor, &ev, &err)) {
		if (ev.index == TRACE_NO_INDEX)
			continue;
		assert(ev.index == r->streams[i].count);
		*vec_push(&r->streams[i]) = (uint32_t)ev.step;
		end = ev.step + event_is_step(ev.kind);
	}
	*vec_push(&r->streams[i]) = (uint32_t)end;
	trace_cursor_close(cursor);
}

struct recorded *recorded_open(const struct trace *trace, const uint64_t *goals)
{
	struct recorded *r = mem_alloc(sizeof *r);
	uint32_t count = trace_stream_count(trace);

	r->trace = trace;
	r->streams = mem_zalloc(count, sizeof *r->streams);
	for (uint32_t i = 0; i < count; i++) {
		if (trace_stream(trace, i)->host == TRACE_NONE && (!goals || goals[i]))
			count_steps_of_stream(r, i, goals ? goals[i] : UINT64_MAX - 1);
	}
	return r;
}

void recorded_close(struct recorded *r)
{
	for (uint32_t i = 0; i < trace_stream_count(r->trace); i++)
		vec_free(&r->streams[i]);
	free(r->streams);
	free(r);
}

uint64_t recorded_steps_before(const struct recorded *r, uint32_t stream, uint64_t index)
{
	uint32_t i = trace_find_stream(r->trace, stream);

	if (i == TRACE_NONE || trace_stream(r->trace, i)->host != TRACE_NONE)
		return TRACE_NO_STEP;
	if (!r->streams[i].count)
		return 0;
	return r->streams[i].items[index < r->streams[i].count ? index : r->streams[i].count - 1];
}

bool recorded_event(const struct trace *trace, struct event_id id, struct trace_event *ev)
{
	uint32_t stream = trace_find_stream(trace, id.stream);
	struct trace_cursor *cursor =
		stream == TRACE_NONE ? NULL : trace_cursor_open(trace, stream);
	bool found = false;
	struct err err;

	while (cursor && !found && trace_next(cursor, ev, &err)) {
		found = ev->index == id.index;
		if (ev->index != TRACE_NO_INDEX && ev->index > id.index)
			break;
	}
	trace_cursor_close(cursor);
	return found;
}

uint64_t recorded_site(const struct trace *trace, struct event_id id)
{
	struct trace_event ev;

	return recorded_event(trace, id, &ev) ? trace_event_site(trace, &ev) : 0;
}
