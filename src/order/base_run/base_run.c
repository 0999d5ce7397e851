#include "order/base_run/base_run.h"

#include "base/mem.h"
#include "order/base_run/base_run_repair.h"
#include "trace/order.h"

#include <stdlib.h>

struct base_run {
	const struct trace *trace;
	struct trace_order *order;
	uint32_t *lane_of;		/* by position of a stream */
	struct base_run_repair *repair; /* NULL: events come as they are */
	bool exhausted;
};

/* The thread that a stream's events are of: handlers of handlers lead to it step by step. */
static uint32_t find_lane(const struct trace *trace, uint32_t i)
{
	/* A forged trace can go round in circles. */
	for (uint32_t steps = trace_stream_count(trace); steps > 0; steps--) {
		uint32_t number = trace_stream(trace, i)->host;
		uint32_t host =
			number == TRACE_NONE ? TRACE_NONE : trace_find_stream(trace, number);

		if (host == TRACE_NONE || host == i)
			return i;
		i = host;
	}
	return 0;
}

uint32_t *base_run_map_lanes(const struct trace *trace)
{
	uint32_t count = trace_stream_count(trace);
	uint32_t *lanes = mem_zalloc((size_t)count + 1, sizeof *lanes);

	for (uint32_t i = 0; i < count; i++)
		lanes[i] = find_lane(trace, i);
	return lanes;
}

struct base_run *base_run_open(const struct trace *trace, const struct share_survey *survey)
{
	struct base_run *f = mem_zalloc(1, sizeof *f);
	uint32_t lanes = trace_stream_count(trace);
	size_t runs;

	f->trace = trace;
	f->order = trace_order_open(trace);
	f->lane_of = base_run_map_lanes(trace);
	trace_schedule(trace, &runs);
	if (survey && !trace_is_text(trace) && !runs && lanes > 1 &&
	    lanes < 1u << BASE_RUN_REPAIR_LANE_BITS)
		f->repair = base_run_repair_open(survey);
	return f;
}

void base_run_close(struct base_run *f)
{
	if (!f)
		return;
	base_run_repair_close(f->repair);
	trace_order_close(f->order);
	free(f->lane_of);
	free(f);
}

/* Rows of the compiler's tables and return addresses are far apart; places of a text are small. */
static uint64_t site_of(const struct trace_event *ev)
{
	return ev->site ? (uintptr_t)ev->site : ev->pc;
}

static void convert(const struct base_run *f, const struct trace_event *ev,
		    struct base_run_event *out)
{
	*out = (struct base_run_event){
		.kind = ev->kind,
		.flags = ev->flags,
		.mode = (uint8_t)ev->mode,
		.foreign = !ev->site && trace_has_sites(f->trace),
		.lane = f->lane_of[trace_find_stream(f->trace, ev->stream)],
		.stream = ev->stream,
		.unit = ev->unit,
		.index = ev->index,
		.address = ev->address,
		.size = ev->size,
		.other = ev->other,
		.number = ev->number,
		.site = site_of(ev),
		.value = ev->value,
		.old = ev->old,
	};
}

static bool next_in_time(struct base_run *f, struct base_run_event *event, uint64_t *time)
{
	struct trace_event ev;

	do {
		if (!trace_order_next(f->order, &ev))
			return false;
	} while (ev.index == TRACE_NO_INDEX);
	convert(f, &ev, event);
	*time = ev.time;
	return true;
}

bool base_run_next(struct base_run *f, struct base_run_event *event)
{
	uint64_t time;

	if (!f->repair)
		return next_in_time(f, event, &time);
	while (!f->exhausted && base_run_repair_wants(f->repair)) {
		if (next_in_time(f, event, &time))
			base_run_repair_put(f->repair, event, time);
		else
			f->exhausted = true;
	}
	return base_run_repair_take(f->repair, event);
}

size_t base_run_failure_count(const struct base_run *f)
{
	return trace_order_failure_count(f->order);
}

const char *base_run_failure(const struct base_run *f, size_t i)
{
	return trace_order_failure(f->order, i);
}
