/*
 * steps TRACE SEED PROGRAM ARGUMENT…
 *
 * Runs the program under control while it is recorded to TRACE, with random priorities from SEED
 * (0: a thread continues as long as it can). Then compares every step in the scheduler's log with
 * the step of the same thread and number in the trace. The scheduler learns about an access
 * beforehand by decoding the thread's records (src/runtime/sched/access_decoder.c). So this tests
 * the decoder, and that the scheduler and the trace reader count steps alike.
 */
#include "event/event.h"
#include "explore/control/runner.h"
#include "trace/sites.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long compared, different;

static void differ(const struct trace_event *e, const char *what, uint64_t seen, uint64_t traced)
{
	if (++different <= 10)
		printf("thread %" PRIu32 ", step %" PRIu64 " (%s): %s was %#" PRIx64
		       " before it, %#" PRIx64 " in the trace\n",
		       e->stream, e->step, event_text((enum event_kind)e->kind), what, seen,
		       traced);
}

/* The trace reader turns COPY and FILL into reads and writes. */
static bool same_kind(const struct control_event *c, const struct trace_event *e)
{
	if (c->kind == EV_COPY)
		return e->kind == EV_READ;
	if (c->kind == EV_FILL)
		return e->kind == EV_WRITE;
	return c->kind == e->kind;
}

/* Is this an access of instrumented code, which the scheduler decodes? */
static bool is_followed(const struct trace_event *e)
{
	return (e->kind == EV_READ || e->kind == EV_WRITE) && e->pc == 0 && e->site;
}

static void compare_access(const struct control_event *c, const struct trace_event *e)
{
	uint64_t value = 0;

	memcpy(&value, e->value, e->size < 8 ? e->size : 8);
	if (c->address != e->address)
		differ(e, "the address", c->address, e->address);
	if (c->size != e->size)
		differ(e, "the size", c->size, e->size);
	/*
	 * for a bit-field that is not made of whole bytes, the trace has the field, and the log has
	 * the memory around it
	 */
	if (e->size <= 8 && !(e->flags & EF_BITFIELD) && c->other != value)
		differ(e, "the value", c->other, value);
}

static void compare(const struct trace *trace, const struct control_event *c,
		    const struct trace_event *e)
{
	compared++;
	if (!same_kind(c, e))
		differ(e, "the kind", c->kind, e->kind);
	else if (is_followed(e))
		compare_access(c, e);
	if (c->site != trace_event_site(trace, e))
		differ(e, "the site", c->site, trace_event_site(trace, e));
}

/* Returns the steps of one thread in the log, indexed by their numbers. */
static const struct control_event **steps_of(const struct outcome *outcome, uint32_t thread,
					     uint32_t *count)
{
	const struct control_event **steps = calloc(outcome->event_count + 1, sizeof(*steps));

	*count = 0;
	for (uint32_t i = 0; i < outcome->event_count; i++) {
		const struct control_event *c = &outcome->events[i];
		if (c->thread != thread)
			continue;
		if (c->step != *count && ++different <= 10)
			printf("thread %" PRIu32 ": step %" PRIu32 " is logged where %" PRIu32
			       " should come\n",
			       thread, c->step, *count);
		steps[(*count)++] = c;
	}
	return steps;
}

static void compare_thread(const struct trace *trace, uint32_t i, const struct outcome *outcome)
{
	struct trace_cursor *cursor = trace_cursor_open(trace, i);
	uint32_t number = trace_stream(trace, i)->number, count;
	const struct control_event **steps = steps_of(outcome, number, &count);
	struct trace_event e;
	struct err err = { 0 };
	uint64_t next = 0;

	while (trace_next(cursor, &e, &err)) {
		if (!event_is_step((enum event_kind)e.kind) || e.step + 1 == next)
			continue; /* includes the second half of a copy */
		if (e.step != next && ++different <= 10)
			printf("thread %" PRIu32 ": step %" PRIu64
			       " of the trace comes behind %" PRIu64 "\n",
			       number, e.step, next);
		next = e.step + 1;
		if (e.step < count)
			compare(trace, steps[e.step], &e);
	}
	if (err.text[0] || next != count) {
		different++;
		printf("thread %" PRIu32 ": %" PRIu32 " steps logged, %" PRIu64
		       " in the trace %s\n",
		       number, count, next, err.text);
	}
	trace_cursor_close(cursor);
	free(steps);
}

static bool run(struct runner *session, uint64_t seed, struct outcome *outcome, struct err *err)
{
	struct plan plan = { .policy = seed ? CONTROL_PRIORITIES : CONTROL_STAY, .seed = seed };
	struct executor *executor = runner_executor(session);
	bool ok = executor->run(executor, &plan, outcome, err);

	plan_free(&plan);
	if (ok && outcome->events_lost)
		return err_set(err, "the log was too small");
	return ok;
}

int main(int argc, char **argv)
{
	struct runner_options options = { .mode = RUNNER_ONCE, .event_most = 4u << 20 };
	struct outcome outcome;
	struct trace *trace;
	struct err err;

	if (argc < 4)
		return 2;
	options.trace = argv[1];
	options.program = argv + 3;
	struct runner *session = runner_open(&options, &err);
	if (!session || !run(session, strtoull(argv[2], NULL, 10), &outcome, &err) ||
	    !trace_open(argv[1], &trace, &err)) {
		printf("%s\n", err.text);
		return 2;
	}
	for (uint32_t i = 0; i < trace_stream_count(trace); i++)
		if (trace_stream(trace, i)->host == TRACE_NONE)
			compare_thread(trace, i, &outcome);
	printf("%lu steps compared, %lu differ\n", compared, different);
	trace_close(trace);
	runner_close(session);
	return different || !compared;
}
