/* Checks that the schedule and the streams of a controlled recording agree. */
#include "trace/check_rules.h"

#include "base/mem.h"
#include "event/control.h"

#include <inttypes.h>
#include <stdio.h>

static void check_number(struct check *c, const struct trace_event *ev, uint64_t address,
			 uint64_t sequence)
{
	struct check_object *o = check_object(c, address);

	if (sequence <= o->sequence)
		check_surprise(c, ev,
			       "%s has number %" PRIu64 " of object %#" PRIx64
			       ", but comes after number %" PRIu64 " in the schedule",
			       event_name(ev->kind), sequence, address, o->sequence);
	o->sequence = sequence;
}

/*
 * Checks only steps. An event that is not a step (a request) is read together with the step before
 * it, perhaps long before the request was made, so its sequence number need not fit the schedule.
 */
void check_sequence(struct check *c, const struct trace_event *ev)
{
	if (!event_is_step(ev->kind))
		return;
	if (ev->sequence)
		check_number(c, ev, ev->address, ev->sequence);
	if ((ev->kind == EV_WAIT || ev->kind == EV_WOKEN) && ev->number)
		check_number(c, ev, ev->other, ev->number);
}

void check_count_steps(struct check *c, uint32_t stream, uint64_t steps)
{
	if (steps != TRACE_NO_STEP)
		*map_put(&c->steps, stream, NULL) = steps;
}

/* May the end of a stream be missing? */
static bool may_lack_steps(const struct check *c, uint32_t number)
{
	uint32_t i = trace_find_stream(c->trace, number);

	return c->stopped || i == TRACE_NONE || !trace_stream(c->trace, i)->ended;
}

static void report_steps(struct check *c, uint32_t thread, uint64_t steps, uint64_t until,
			 enum check_severity severity)
{
	check_add(c, severity,
		  mem_format("schedule: T%" PRIu32 " does %" PRIu64
			     " steps in the schedule, but its stream has %" PRIu64,
			     thread, until, steps));
}

/*
 * Checks that each thread has as many steps as in the schedule. One thread may have more, because
 * the process may have ended before the last slice was written to the file.
 */
void check_schedule(struct check *c)
{
	size_t count, longer = 0;
	const struct control_slice *slices = trace_schedule(c->trace, &count);
	struct map until = { 0 };

	for (size_t i = 0; i < count; i++)
		*map_put(&until, slices[i].thread, NULL) = slices[i].until;
	for (uint32_t i = 0; i < trace_stream_count(c->trace); i++) {
		const struct trace_stream *stream = trace_stream(c->trace, i);
		const uint64_t *steps = map_get(&c->steps, stream->number);

		if (stream->host != TRACE_NONE || !steps)
			continue;
		if (stream->number >= CONTROL_THREADS && !map_get(&until, stream->number))
			/* The thread takes no turns, because its creator takes none. */
			continue;
		uint64_t planned = *map_put(&until, stream->number, NULL);
		if (*steps < planned)
			report_steps(c, stream->number, *steps, planned,
				     !may_lack_steps(c, stream->number));
		else if (*steps > planned && longer++)
			report_steps(c, stream->number, *steps, planned, CHECK_VIOLATION);
	}
	map_free(&until);
}
