/*
 * The file `schedule` of a controlled recording: the order of all events as slices. In a slice, one
 * thread runs until it has done a number of steps (doc/controlled-runs.md).
 */
#include "trace/schedule.h"

#include "base/map.h"
#include "base/mem.h"
#include "trace/store.h"

#include <inttypes.h>
#include <string.h>

/* ---- reading the file ------------------------------------------------------------------------ */

/* Does not count empty slices at the end of the file, which the runtime enlarges in advance. */
static size_t count_used_slices(const struct control_slice *slices, size_t count)
{
	while (count && !slices[count - 1].until)
		count--;
	return count;
}

/* Returns the number of slices before the first one in which a thread's step number goes back. */
static size_t count_valid_slices(struct trace *trace, const struct control_slice *slices,
				 size_t count)
{
	struct map done = { 0 };
	size_t i;

	for (i = 0; i < count; i++) {
		uint64_t *steps = map_put(&done, slices[i].thread, NULL);

		if (!slices[i].until || slices[i].until < *steps) {
			store_problem(trace,
				      "schedule: offset %#zx: thread %" PRIu32
				      " goes back from step %" PRIu64 " to %" PRIu32
				      "; the rest is not used",
				      i * sizeof *slices, slices[i].thread, *steps,
				      slices[i].until);
			break;
		}
		*steps = slices[i].until;
	}
	map_free(&done);
	return i;
}

void store_load_schedule(struct trace *trace, const struct file_view *view)
{
	const struct control_slice *slices = (const void *)view->data;
	size_t count = view->size / sizeof *slices;

	if (view->size % sizeof *slices)
		store_problem(trace, "schedule: offset %#zx: the file ends inside a slice",
			      count * sizeof *slices);
	count = count_used_slices(slices, count);
	if (count && slices[count - 1].thread == CONTROL_NONE)
		return; /* the runtime marked the file as invalid, but could not remove it */
	trace->has_schedule = true;
	trace->slices = slices;
	trace->slice_count = count_valid_slices(trace, slices, count);
}

bool trace_has_schedule(const struct trace *trace)
{
	return trace->has_schedule;
}

const struct control_slice *trace_schedule(const struct trace *trace, size_t *count)
{
	*count = trace->slice_count;
	return trace->slices;
}

uint64_t trace_switch_count(const struct trace *trace)
{
	uint64_t switches = 0;

	for (size_t i = 1; i < trace->slice_count; i++)
		switches += trace->slices[i].thread != trace->slices[i - 1].thread;
	return switches;
}

/* ---- walking along the schedule -------------------------------------------------------------- */

static void find_slice_stream(struct schedule_walk *walk)
{
	walk->stream = trace_find_stream(walk->trace, walk->slices[walk->slice].thread);
}

bool schedule_start(struct schedule_walk *walk, const struct trace *trace)
{
	*walk = (struct schedule_walk){ .trace = trace, .slices = trace->slices };
	walk->count = trace->slice_count;
	if (walk->count)
		find_slice_stream(walk);
	return walk->count > 0;
}

bool schedule_next_slice(struct schedule_walk *walk)
{
	if (++walk->slice >= walk->count)
		return false;
	find_slice_stream(walk);
	return true;
}

bool schedule_covers(const struct schedule_walk *walk, const struct trace_event *event)
{
	uint64_t until = walk->slices[walk->slice].until;

	return event->step < until || (event->step == until && !event_is_step(event->kind));
}

bool schedule_is_inside(const struct schedule_walk *walk, const struct trace_event *event)
{
	return event->step < walk->slices[walk->slice].until;
}

size_t schedule_find_others(const struct trace *trace, uint32_t **positions)
{
	bool *has_slice = mem_zalloc(trace->streams.count, sizeof *has_slice);
	VEC(uint32_t) others = { 0 };
	struct schedule_walk walk;

	for (bool more = schedule_start(&walk, trace); more; more = schedule_next_slice(&walk)) {
		if (walk.stream != TRACE_NONE)
			has_slice[walk.stream] = true;
	}
	for (uint32_t i = 0; i < trace->streams.count; i++) {
		if (!has_slice[i] || trace->streams.items[i].about.host != TRACE_NONE)
			*vec_push(&others) = i;
	}
	free(has_slice);
	*positions = others.items;
	return others.count;
}
