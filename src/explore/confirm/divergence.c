/*
 * Compares the operations that each thread logged in the run with the same steps in the recording.
 * The run diverged at the first operation that has another kind or another site. The likely reason
 * is the last read before it, by the same thread, that returned another value. If all logged
 * operations are as recorded, then a thread stopped before its planned end, or code that is not
 * recorded blocked a thread.
 */
#include "explore/confirm/divergence.h"

#include "base/mem.h"
#include "explore/control/site_text.h"
#include "trace/sites.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A thread of the run: its part of the log, and how far the plan runs it. */
struct compared_thread {
	VEC(uint32_t) log; /* positions in the run's log; the index is the step (from 0) */
	uint64_t wanted;   /* number of steps that the plan lets the thread do */
	/* result of the comparison: */
	uint32_t at;   /* log position of the first operation that differs, or NO_POSITION */
	uint64_t step; /* the last step that was compared */
	uint64_t site; /* the recorded site of that step */
	uint8_t kind;
	uint64_t address;
	uint32_t read;	/* log position of the last read with another value, or NO_POSITION */
	uint64_t value; /* the value that this read has in the recording */
};

struct divergence_comparison {
	const struct plan *plan;
	const struct outcome *outcome;
	const struct trace *recorded;
	const struct run_outcome_source *source;
	struct compared_thread *threads;
	uint32_t count;
};

#define NO_POSITION UINT32_MAX

/* ---- comparing ------------------------------------------------------------------------------- */

static void split_log(struct divergence_comparison *c)
{
	for (uint32_t i = 0; i < c->outcome->event_count; i++) {
		const struct control_event *ev = &c->outcome->events[i];

		if (ev->thread < c->count && ev->step == c->threads[ev->thread].log.count)
			*vec_push(&c->threads[ev->thread].log) = i;
	}
}

static void find_wanted_steps(struct divergence_comparison *c)
{
	const struct plan *plan = c->plan;

	for (size_t i = 0; i < plan->slices.count; i++) {
		struct compared_thread *t = &c->threads[plan->slices.items[i].thread];

		if (t->wanted < plan->slices.items[i].until)
			t->wanted = plan->slices.items[i].until;
	}
	/* After both threads of a race have stopped, the recording does not say what they do. */
	for (size_t i = 0; i < plan->stops.count; i++)
		c->threads[plan->stops.items[i].thread].wanted = plan->stops.items[i].step;
}

/*
 * COPY and FILL are one operation in the log; the trace reader splits them into reads and writes.
 */
static bool same_kind(uint8_t logged, uint8_t recorded)
{
	if (logged == EV_COPY)
		return recorded == EV_READ || recorded == EV_WRITE;
	if (logged == EV_FILL)
		return recorded == EV_WRITE;
	return logged == recorded;
}

/* Modules are mostly loaded at the same addresses, so comparing the addresses first is fast. */
static bool same_site(const struct divergence_comparison *c, uint64_t run, uint64_t recorded)
{
	return run == recorded ||
	       trace_site_key(c->source->trace, run) == trace_site_key(c->recorded, recorded);
}

static void compare_value(struct compared_thread *t, uint32_t position,
			  const struct control_event *ev, const struct trace_event *recorded)
{
	uint64_t value = 0;

	if ((recorded->kind != EV_READ && recorded->kind != EV_ATOMIC_READ) || !recorded->value ||
	    recorded->size > 8 || recorded->unit != recorded->size || ev->kind == EV_COPY)
		return;
	memcpy(&value, recorded->value, recorded->size);
	if (value != ev->other) {
		t->read = position;
		t->value = value;
	}
}

static void compare_thread(struct divergence_comparison *c, uint32_t thread)
{
	struct compared_thread *t = &c->threads[thread];
	uint32_t stream = trace_find_stream(c->recorded, thread);
	struct trace_cursor *cursor;
	struct trace_event ev;
	uint64_t before = UINT64_MAX;
	struct err err;

	t->at = t->read = NO_POSITION;
	if (stream == TRACE_NONE || !t->wanted)
		return;
	cursor = trace_cursor_open(c->recorded, stream);
	while (t->at == NO_POSITION && trace_next(cursor, &ev, &err) && ev.step <= t->wanted) {
		const struct control_event *done;
		uint64_t site = trace_event_site(c->recorded, &ev);

		if (ev.index == TRACE_NO_INDEX || !event_is_step(ev.kind) || ev.step == before)
			continue;
		before = t->step = ev.step;
		t->site = site;
		t->kind = ev.kind;
		t->address = ev.kind == EV_JOIN || ev.kind == EV_CREATE ? ev.number : ev.address;
		if (ev.step >= t->log.count)
			break;
		done = &c->outcome->events[t->log.items[ev.step]];
		if (!same_kind(done->kind, ev.kind) || !same_site(c, done->site, site))
			t->at = t->log.items[ev.step];
		else
			compare_value(t, t->log.items[ev.step], done, &ev);
	}
	trace_cursor_close(cursor);
}

/* ---- explaining ------------------------------------------------------------------------------ */

static void explain_other_operation(const struct divergence_comparison *c,
				    const struct compared_thread *t, struct divergence *d)
{
	const struct run_outcome_source *s = c->source;
	const struct control_event *done = &c->outcome->events[t->at];
	char why[RUN_OUTCOME_TEXT] = "";

	if (t->read != NO_POSITION) {
		const struct control_event *read = &c->outcome->events[t->read];
		struct run_outcome_read seen = { read->thread, read->step,    read->size,
						 read->site,   read->address, read->other };
		struct run_outcome effect;

		run_outcome_of_read(&effect, &seen, t->value, s);
		run_outcome_print(why, ", after %.300s", effect.text);
	}
	d->thread = done->thread;
	d->step = done->step;
	run_outcome_print(
		d->text,
		"T%" PRIu32
		" does something else: %.120s at %.120s instead of %.120s at %.120s%.200s",
		done->thread,
		operation_text(s->trace, s->symbols, done->kind, done->site, done->address).text,
		site_text(s->trace, s->symbols, done->site).text,
		operation_text(s->trace, s->symbols, t->kind, t->site, t->address).text,
		site_text(s->trace, s->symbols, t->site).text, why);
}

static const struct control_blocked *find_blocked(const struct outcome *outcome, uint32_t thread)
{
	for (uint32_t i = 0; i < outcome->blocked_count; i++) {
		if (outcome->blocked[i].thread == thread)
			return &outcome->blocked[i];
	}
	return NULL;
}

static bool has_ended(const struct divergence_comparison *c, const struct compared_thread *t)
{
	size_t count = t->log.count;

	return count && c->outcome->events[t->log.items[count - 1]].kind == EV_END;
}

static void explain_missing_step(const struct divergence_comparison *c, uint32_t thread,
				 struct divergence *d)
{
	const struct run_outcome_source *s = c->source;
	const struct compared_thread *t = &c->threads[thread];
	const struct control_blocked *b = find_blocked(c->outcome, thread);
	char instead[RUN_OUTCOME_TEXT];

	d->thread = thread;
	d->step = (uint32_t)t->log.count;
	if (b && b->how != CONTROL_BY_NOTHING)
		run_outcome_describe_blocked(instead, b, s);
	else if (has_ended(c, t))
		run_outcome_print(instead, "the thread has ended");
	else if (!t->log.count)
		run_outcome_print(instead, "the thread has not started");
	else if (b)
		run_outcome_print(instead, "the run ended when the thread was at %s",
				  site_text(s->trace, s->symbols, b->site).text);
	else
		run_outcome_print(instead, "the run ended first");
	run_outcome_print(d->text, "T%" PRIu32 " did not reach %s at %.150s: %.250s", thread,
			  operation_text(s->trace, s->symbols, t->kind, t->site, t->address).text,
			  site_text(s->trace, s->symbols, t->site).text, instead);
}

/* Explains the earliest operation in the run that differs from the recording. */
static bool explain_first_difference(const struct divergence_comparison *c, struct divergence *d)
{
	const struct compared_thread *first = NULL;

	for (uint32_t i = 0; i < c->count; i++) {
		if (c->threads[i].at != NO_POSITION && (!first || c->threads[i].at < first->at))
			first = &c->threads[i];
	}
	if (first)
		explain_other_operation(c, first, d);
	return first != NULL;
}

/* Explains which thread stopped before its planned end. Threads with a stop come first. */
static bool explain_late_thread(const struct divergence_comparison *c, struct divergence *d)
{
	for (size_t i = 0; i < c->plan->stops.count; i++) {
		uint32_t thread = c->plan->stops.items[i].thread;

		if (!c->outcome->control->stops[i].reached &&
		    c->threads[thread].log.count <= c->plan->stops.items[i].step) {
			explain_missing_step(c, thread, d);
			return true;
		}
	}
	for (uint32_t i = 0; i < c->count; i++) {
		if (c->threads[i].log.count < c->threads[i].wanted) {
			explain_missing_step(c, i, d);
			return true;
		}
	}
	return false;
}

/* Finds what a thread did at a step of the recording. */
static bool find_recorded_step(const struct trace *trace, uint32_t thread, uint64_t step,
			       struct trace_event *ev)
{
	uint32_t stream = trace_find_stream(trace, thread);
	struct trace_cursor *cursor =
		stream == TRACE_NONE ? NULL : trace_cursor_open(trace, stream);
	bool found = false;
	struct err err;

	while (cursor && !found && trace_next(cursor, ev, &err))
		found = ev->index != TRACE_NO_INDEX && event_is_step(ev->kind) && ev->step == step;
	trace_cursor_close(cursor);
	return found;
}

/*
 * All threads did all their planned steps, but one of them could not run when the plan wanted it.
 * The log has no operation that blocked it, so code that was not recorded did.
 */
static bool explain_held_up_thread(const struct divergence_comparison *c, struct divergence *d)
{
	uint32_t run = c->outcome->control->diverged_slice;
	const struct run_outcome_source *s = c->source;
	struct trace_event ev;
	uint64_t site;

	if (run >= c->plan->slices.count)
		return false;
	d->thread = c->plan->slices.items[run].thread;
	d->step = c->plan->slices.items[run].until - 1;
	if (!find_recorded_step(c->recorded, d->thread, d->step, &ev))
		return false;
	site = trace_event_site(c->recorded, &ev);
	run_outcome_print(
		d->text,
		"T%" PRIu32 " could not do %s at %s when the plan wanted it: something that is "
		"not recorded blocked it",
		d->thread, operation_text(s->trace, s->symbols, ev.kind, site, ev.address).text,
		site_text(s->trace, s->symbols, site).text);
	return true;
}

bool divergence_explain(struct divergence *d, const struct plan *plan,
			const struct outcome *outcome, const struct trace *recorded,
			const struct run_outcome_source *source)
{
	struct divergence_comparison c = {
		.plan = plan,
		.outcome = outcome,
		.recorded = recorded,
		.source = source,
		.count = CONTROL_THREADS,
	};
	bool explained;

	*d = (struct divergence){ .thread = CONTROL_NONE };
	c.threads = mem_zalloc(c.count, sizeof *c.threads);
	split_log(&c);
	find_wanted_steps(&c);
	for (uint32_t i = 0; i < c.count; i++)
		compare_thread(&c, i);
	explained = explain_first_difference(&c, d) || explain_late_thread(&c, d) ||
		    explain_held_up_thread(&c, d);
	for (uint32_t i = 0; i < c.count; i++)
		vec_free(&c.threads[i].log);
	free(c.threads);
	return explained;
}

/* ---- what is not recorded -------------------------------------------------------------------- */

/* Returns how many steps of a thread the plan contains. */
static uint32_t count_planned_steps(const struct plan *plan, uint32_t thread)
{
	uint32_t until = 0;

	for (size_t i = 0; i < plan->slices.count; i++) {
		if (plan->slices.items[i].thread == thread && plan->slices.items[i].until > until)
			until = plan->slices.items[i].until;
	}
	return until;
}

bool divergence_is_outside(const struct plan *plan, const struct outcome *outcome)
{
	const struct control *c = outcome->control;

	for (uint32_t i = 0; i < c->held_up_count && i < CONTROL_HELD_UP; i++) {
		if (count_planned_steps(plan, c->held_up[i]))
			return true;
	}
	for (uint32_t i = 0; i < outcome->blocked_count; i++) {
		const struct control_blocked *b = &outcome->blocked[i];

		if (b->how == CONTROL_BY_CALL && b->step < count_planned_steps(plan, b->thread))
			return true;
	}
	return c->held_up_count > CONTROL_HELD_UP;
}
