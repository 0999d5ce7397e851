/* Returns the events of the base run: in the order of trace/order.h, repaired if necessary. */
#include "order/base_run/base_run.h"

#include "base/mem.h"
#include "order/base_run/base_run_repair.h"
#include "trace/order.h"

#include <stdlib.h>

struct base_run {
	const struct trace *trace;
	struct trace_order *order;
	uint32_t *owner_of;		/* by position of a stream: its owner */
	struct base_run_repair *repair; /* NULL: events stay in the order of trace/order.h */
	bool exhausted;
};

uint32_t *base_run_map_owners(const struct trace *trace)
{
	uint32_t count = trace_stream_count(trace);
	uint32_t *streams = mem_zalloc((size_t)count + 1, sizeof *streams);

	for (uint32_t i = 0; i < count; i++)
		streams[i] = trace_stream_owner(trace, i);
	return streams;
}

struct base_run *base_run_open(const struct trace *trace, const struct share_survey *survey)
{
	struct base_run *run = mem_zalloc(1, sizeof *run);
	uint32_t streams = trace_stream_count(trace);
	size_t runs;

	run->trace = trace;
	run->order = trace_order_open(trace);
	run->owner_of = base_run_map_owners(trace);
	trace_schedule(trace, &runs);
	if (survey && !trace_is_text(trace) && !runs && streams > 1 &&
	    streams < 1u << BASE_RUN_REPAIR_OWNER_BITS)
		run->repair = base_run_repair_open(survey);
	return run;
}

void base_run_close(struct base_run *run)
{
	if (!run)
		return;
	base_run_repair_close(run->repair);
	trace_order_close(run->order);
	free(run->owner_of);
	free(run);
}

/*
 * Returns a number for the event's site. The addresses of elements in the compiler's tables and the
 * return addresses are all different. In a text trace the number of a site is small.
 */
static uint64_t site_of(const struct trace_event *ev)
{
	return ev->site ? (uintptr_t)ev->site : ev->pc;
}

static void convert_event(const struct base_run *run, const struct trace_event *ev,
			  struct base_run_event *out)
{
	*out = (struct base_run_event){
		.kind = ev->kind,
		.flags = ev->flags,
		.mode = (uint8_t)ev->mode,
		.foreign = !ev->site && trace_has_sites(run->trace),
		.owner = run->owner_of[trace_find_stream(run->trace, ev->stream)],
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

static bool next_in_time(struct base_run *run, struct base_run_event *event, uint64_t *time)
{
	struct trace_event ev;

	do {
		if (!trace_order_next(run->order, &ev))
			return false;
	} while (ev.index == TRACE_NO_INDEX);
	convert_event(run, &ev, event);
	*time = ev.time;
	return true;
}

bool base_run_next(struct base_run *run, struct base_run_event *event)
{
	uint64_t time;

	if (!run->repair)
		return next_in_time(run, event, &time);
	while (!run->exhausted && base_run_repair_has_room(run->repair)) {
		if (next_in_time(run, event, &time))
			base_run_repair_add(run->repair, event, time);
		else
			run->exhausted = true;
	}
	return base_run_repair_next(run->repair, event);
}

size_t base_run_failure_count(const struct base_run *run)
{
	return trace_order_failure_count(run->order);
}

const char *base_run_failure(const struct base_run *run, size_t i)
{
	return trace_order_failure(run->order, i);
}
