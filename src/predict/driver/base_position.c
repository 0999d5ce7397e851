/*
 * Follows the base run from window to window, and expands the goals of a claim into steps. A
 * thread's events in a window are kept as a linked list of slices, because its signal handlers are
 * streams of their own.
 */
#include "predict/driver/base_position.h"

#include "base/mem.h"

#include <assert.h>
#include <string.h>

void base_position_open(struct base_position *base, const struct trace *trace)
{
	uint32_t streams = trace_stream_count(trace);

	*base = (struct base_position){ .trace = trace };
	base->start = mem_zalloc(streams + 1, sizeof *base->start);
	base->reached = mem_zalloc(streams + 1, sizeof *base->reached);
	base->thread = mem_zalloc(streams + 1, sizeof *base->thread);
	base->first = mem_zalloc(streams + 1, sizeof *base->first);
	base->last = mem_zalloc(streams + 1, sizeof *base->last);
	for (uint32_t i = 0; i < streams; i++)
		base->thread[i] = trace_stream_owner(trace, i);
}

void base_position_close(struct base_position *base)
{
	free(base->start);
	free(base->reached);
	free(base->thread);
	free(base->first);
	free(base->last);
	vec_free(&base->slices);
}

static void append_slice(struct base_position *base, uint32_t stream, uint64_t end)
{
	uint32_t thread = base->thread[stream], last = base->last[thread];

	if (last != ORDER_NONE && base->slices.items[last].stream == stream) {
		base->slices.items[last].end = end;
		return;
	}
	*vec_push(&base->slices) = (struct base_slice){ stream, end, ORDER_NONE };
	base->last[thread] = (uint32_t)base->slices.count - 1;
	if (last == ORDER_NONE)
		base->first[thread] = base->last[thread];
	else
		base->slices.items[last].next = base->last[thread];
}

void base_position_enter(struct base_position *base, const struct window_slice *runs,
			 uint64_t first, uint64_t last)
{
	assert(first >= base->at && last >= first);
	for (; base->at < first; base->at++) {
		uint32_t stream = trace_find_stream(base->trace, runs[base->at].stream);

		base->start[stream] = runs[base->at].end;
	}
	base->slices.count = 0;
	for (uint32_t i = 0; i < trace_stream_count(base->trace); i++)
		base->first[i] = base->last[i] = ORDER_NONE;
	for (uint64_t i = first; i < last; i++)
		append_slice(base, trace_find_stream(base->trace, runs[i].stream), runs[i].end);
}

/*
 * Runs the stream up to, but not including, index `end`. That is one step; in a text trace, where
 * every event matters, it is one step for each event.
 */
static void run_stream_to(struct base_position *base, uint32_t stream, uint64_t end,
			  finding_ids *out)
{
	uint32_t number = trace_stream(base->trace, stream)->number;
	uint64_t at = base->reached[stream];

	if (end <= at)
		return;
	base->reached[stream] = end;
	if (trace_is_text(base->trace)) {
		for (; at < end; at++)
			*vec_push(out) = (struct event_id){ number, at };
		return;
	}
	if (out->count && out->items[out->count - 1].stream == number)
		out->items[out->count - 1].index = end - 1;
	else
		*vec_push(out) = (struct event_id){ number, end - 1 };
}

static void run_to_goal(struct base_position *base, const struct base_goal *goal, finding_ids *out)
{
	uint32_t stream = trace_find_stream(base->trace, goal->id.stream);
	uint64_t index = goal->id.index;
	uint32_t at = base->first[base->thread[stream]];

	if (index != BASE_POSITION_END && index < base->start[stream])
		return;
	for (; at != ORDER_NONE; at = base->slices.items[at].next) {
		const struct base_slice *s = &base->slices.items[at];

		if (s->stream == stream && index < s->end) {
			run_stream_to(base, stream, index + goal->with, out);
			return;
		}
		run_stream_to(base, s->stream, s->end, out);
	}
}

void base_position_expand(struct base_position *base, const struct base_goal *goals, size_t count,
			  finding_ids *out)
{
	memcpy(base->reached, base->start, trace_stream_count(base->trace) * sizeof *base->reached);
	out->count = 0;
	for (size_t i = 0; i < count; i++)
		run_to_goal(base, &goals[i], out);
}

void base_position_start(const struct base_position *base, finding_ids *out)
{
	out->count = 0;
	for (uint32_t i = 0; i < trace_stream_count(base->trace); i++) {
		if (base->start[i])
			*vec_push(out) = (struct event_id){ trace_stream(base->trace, i)->number,
							    base->start[i] };
	}
}
