#include "predict/driver/base_position.h"

#include "base/mem.h"

#include <assert.h>
#include <string.h>

/* The thread that a stream belongs to. Forged hosts may form a circle: then it is its own. */
static uint32_t thread_of(const struct trace *trace, uint32_t i)
{
	uint32_t at = i;

	for (uint32_t hops = 0; hops <= trace_stream_count(trace); hops++) {
		uint32_t host = trace_stream(trace, at)->host;

		if (host == TRACE_NONE || trace_find_stream(trace, host) == TRACE_NONE)
			return at;
		at = trace_find_stream(trace, host);
	}
	return i;
}

void base_position_open(struct base_position *run, const struct trace *trace)
{
	uint32_t streams = trace_stream_count(trace);

	*run = (struct base_position){ .trace = trace };
	run->start = mem_zalloc(streams + 1, sizeof *run->start);
	run->reached = mem_zalloc(streams + 1, sizeof *run->reached);
	run->thread = mem_zalloc(streams + 1, sizeof *run->thread);
	run->first = mem_zalloc(streams + 1, sizeof *run->first);
	run->last = mem_zalloc(streams + 1, sizeof *run->last);
	for (uint32_t i = 0; i < streams; i++)
		run->thread[i] = thread_of(trace, i);
}

void base_position_close(struct base_position *run)
{
	free(run->start);
	free(run->reached);
	free(run->thread);
	free(run->first);
	free(run->last);
	vec_free(&run->stretches);
}

static void add_stretch(struct base_position *run, uint32_t stream, uint64_t end)
{
	uint32_t thread = run->thread[stream], last = run->last[thread];

	if (last != ORDER_NONE && run->stretches.items[last].stream == stream) {
		run->stretches.items[last].end = end;
		return;
	}
	*vec_push(&run->stretches) = (struct base_position_stretch){ stream, end, ORDER_NONE };
	run->last[thread] = (uint32_t)run->stretches.count - 1;
	if (last == ORDER_NONE)
		run->first[thread] = run->last[thread];
	else
		run->stretches.items[last].next = run->last[thread];
}

void base_position_enter(struct base_position *run, const struct window_run *runs, uint64_t first,
			 uint64_t last)
{
	assert(first >= run->at && last >= first);
	for (; run->at < first; run->at++) {
		uint32_t stream = trace_find_stream(run->trace, runs[run->at].stream);

		run->start[stream] = runs[run->at].end;
	}
	run->stretches.count = 0;
	for (uint32_t i = 0; i < trace_stream_count(run->trace); i++)
		run->first[i] = run->last[i] = ORDER_NONE;
	for (uint64_t i = first; i < last; i++)
		add_stretch(run, trace_find_stream(run->trace, runs[i].stream), runs[i].end);
}

/*
 * The stream runs up to, not with, index `end`: one step, or in a text, where every event is one
 * that matters, a step for each.
 */
static void advance(struct base_position *run, uint32_t stream, uint64_t end,
		    base_position_ids *out)
{
	uint32_t number = trace_stream(run->trace, stream)->number;
	uint64_t at = run->reached[stream];

	if (end <= at)
		return;
	run->reached[stream] = end;
	if (trace_is_text(run->trace)) {
		for (; at < end; at++)
			*vec_push(out) = (struct event_id){ number, at };
		return;
	}
	if (out->count && out->items[out->count - 1].stream == number)
		out->items[out->count - 1].index = end - 1;
	else
		*vec_push(out) = (struct event_id){ number, end - 1 };
}

static void reach(struct base_position *run, const struct base_position_goal *goal,
		  base_position_ids *out)
{
	uint32_t stream = trace_find_stream(run->trace, goal->id.stream);
	uint64_t index = goal->id.index;
	uint32_t at = run->first[run->thread[stream]];

	if (index != BASE_POSITION_END && index < run->start[stream])
		return;
	for (; at != ORDER_NONE; at = run->stretches.items[at].next) {
		const struct base_position_stretch *s = &run->stretches.items[at];

		if (s->stream == stream && index < s->end) {
			advance(run, stream, index + goal->with, out);
			return;
		}
		advance(run, s->stream, s->end, out);
	}
}

void base_position_expand(struct base_position *run, const struct base_position_goal *goals,
			  size_t count, base_position_ids *out)
{
	memcpy(run->reached, run->start, trace_stream_count(run->trace) * sizeof *run->reached);
	out->count = 0;
	for (size_t i = 0; i < count; i++)
		reach(run, &goals[i], out);
}

void base_position_start(const struct base_position *run, base_position_ids *out)
{
	out->count = 0;
	for (uint32_t i = 0; i < trace_stream_count(run->trace); i++) {
		if (run->start[i])
			*vec_push(out) = (struct event_id){ trace_stream(run->trace, i)->number,
							    run->start[i] };
	}
}
