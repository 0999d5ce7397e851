/*
 * The file `schedule` of a controlled recording: the order of all events, as slices of threads,
 * each up to a number of steps (doc/controlled-runs.md).
 */
#include "trace/schedule.h"

#include "base/map.h"
#include "base/mem.h"
#include "trace/store.h"

#include <inttypes.h>
#include <string.h>

/* ---- reading the file ---------------------------------------------------------------------- */

/* Drops unused slices (up to step 0) at the end: the runtime enlarges the file in advance. */
static size_t count_used_slices(const struct control_run *runs, size_t count)
{
	while (count && !runs[count - 1].until)
		count--;
	return count;
}

/* Returns how many slices are valid: no thread's step number goes back. */
static size_t count_valid_slices(struct trace *trace, const struct control_run *runs, size_t count)
{
	struct map done = { 0 };
	size_t i;

	for (i = 0; i < count; i++) {
		uint64_t *steps = map_put(&done, runs[i].thread, NULL);

		if (!runs[i].until || runs[i].until < *steps) {
			store_problem(trace,
				      "schedule: offset %#zx: thread %" PRIu32
				      " goes back from step %" PRIu64 " to %" PRIu32
				      "; the rest is not used",
				      i * sizeof *runs, runs[i].thread, *steps, runs[i].until);
			break;
		}
		*steps = runs[i].until;
	}
	map_free(&done);
	return i;
}

void store_load_schedule(struct trace *trace, const struct file_view *view)
{
	const struct control_run *runs = (const void *)view->data;
	size_t count = view->size / sizeof *runs;

	if (view->size % sizeof *runs)
		store_problem(trace, "schedule: offset %#zx: the file ends inside a run",
			      count * sizeof *runs);
	count = count_used_slices(runs, count);
	if (count && runs[count - 1].thread == CONTROL_NONE)
		return; /* the runtime could neither continue nor remove the file */
	trace->has_schedule = true;
	trace->runs = runs;
	trace->run_count = count_valid_slices(trace, runs, count);
}

bool trace_has_schedule(const struct trace *trace)
{
	return trace->has_schedule;
}

const struct control_run *trace_schedule(const struct trace *trace, size_t *count)
{
	*count = trace->run_count;
	return trace->runs;
}

uint64_t trace_switch_count(const struct trace *trace)
{
	uint64_t switches = 0;

	for (size_t i = 1; i < trace->run_count; i++)
		switches += trace->runs[i].thread != trace->runs[i - 1].thread;
	return switches;
}

/* ---- walking along the schedule ------------------------------------------------------------ */

static void find_slice_stream(struct schedule_walk *walk)
{
	walk->stream = trace_find_stream(walk->trace, walk->runs[walk->run].thread);
}

bool schedule_start(struct schedule_walk *walk, const struct trace *trace)
{
	*walk = (struct schedule_walk){ .trace = trace, .runs = trace->runs };
	walk->count = trace->run_count;
	if (walk->count)
		find_slice_stream(walk);
	return walk->count > 0;
}

bool schedule_next_slice(struct schedule_walk *walk)
{
	if (++walk->run >= walk->count)
		return false;
	find_slice_stream(walk);
	return true;
}

bool schedule_covers(const struct schedule_walk *walk, const struct trace_event *event)
{
	uint64_t until = walk->runs[walk->run].until;

	return event->step < until || (event->step == until && !event_is_step(event->kind));
}

bool schedule_is_inside(const struct schedule_walk *walk, const struct trace_event *event)
{
	return event->step < walk->runs[walk->run].until;
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
