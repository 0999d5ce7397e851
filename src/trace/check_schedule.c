/* Do a schedule and the streams of a controlled recording fit each other? */
#include "trace/check_rules.h"

#include "event/control.h"

#include <inttypes.h>
#include <stdio.h>

static void check_number(struct check *c, const struct trace_event *ev, uint64_t address,
			 uint64_t sequence)
{
	struct check_object *o = check_object(c, address);

	if (sequence <= o->sequence)
		check_surprise(c, ev,
			       "%s is number %" PRIu64 " at %#" PRIx64
			       ", and in the schedule comes behind number %" PRIu64,
			       event_name(ev->kind), sequence, address, o->sequence);
	o->sequence = sequence;
}

/* What is no step, a request, stands in the schedule with the step before it: perhaps long before it was made. */
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

static void say(struct check *c, uint32_t thread, uint64_t steps, uint64_t until, bool bad)
{
	char *text;

	if (asprintf(&text,
		     "schedule: T%" PRIu32 " did %" PRIu64
		     " steps there, and its stream has %" PRIu64,
		     thread, until, steps) < 0)
		abort();
	if (bad)
		check_add_violation(c, text);
	else
		check_add_note(c, text);
}

/*
 * Each thread has the steps that the schedule says, but for one: who ran last may have been ended
 * before its last run was written down.
 */
void check_schedule(struct check *c)
{
	size_t count, behind = 0;
	const struct control_run *runs = trace_schedule(c->trace, &count);
	struct map until = { 0 };

	for (size_t i = 0; i < count; i++)
		*map_put(&until, runs[i].thread, NULL) = runs[i].until;
	for (uint32_t i = 0; i < trace_stream_count(c->trace); i++) {
		const struct trace_stream *stream = trace_stream(c->trace, i);
		const uint64_t *steps = map_get(&c->steps, stream->number);

		if (stream->host != TRACE_NONE || !steps)
			continue;
		if (stream->number >= CONTROL_THREADS && !map_get(&until, stream->number))
			continue; /* made by nobody who takes turns: it takes none */
		uint64_t planned = *map_put(&until, stream->number, NULL);
		if (*steps < planned)
			say(c, stream->number, *steps, planned, !may_lack_steps(c, stream->number));
		else if (*steps > planned && behind++)
			say(c, stream->number, *steps, planned, true);
	}
	map_free(&until);
}
