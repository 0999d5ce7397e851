/*
 * Reads a trace into operations (run_op.h): assigns threads to columns, finds the property events
 * and variable writes of each event, and collects what it does to objects.
 */
#include "monitor/computation/run_ops.h"

#include "base/mem.h"
#include "monitor/computation/formulas.h"
#include "trace/order.h"
#include "trace/symbol.h"

#include <stdlib.h>
#include <string.h>

void run_ops_touch(struct run_ops_maker *m, const struct run_op_touch *touch)
{
	*vec_push(&m->ops->touches) = *touch;
}

uint32_t run_ops_new_set(struct run_ops_maker *m)
{
	return m->ops->sets++;
}

/* ---- columns --------------------------------------------------------------------------------- */

static void assign_column(struct run_ops_maker *m, uint32_t thread, uint32_t creator)
{
	struct run_ops_thread *self = &m->threads[thread];

	if (self->column)
		return;
	if (creator != TRACE_NONE && m->threads[creator].spare.count)
		self->column =
			m->threads[creator].spare.items[--m->threads[creator].spare.count] + 1;
	else
		self->column = ++m->ops->columns;
}

/*
 * Passes the columns of a joined thread to the thread that joined it. That thread gives them to
 * threads that it creates.
 */
static void inherit_columns(struct run_ops_maker *m, uint32_t joined, uint32_t thread)
{
	struct run_ops_thread *over = &m->threads[joined], *self = &m->threads[thread];

	if (joined == thread || !over->column)
		return;
	*vec_push(&self->spare) = over->column - 1;
	over->column = 0; /* if the thread runs on nevertheless, it gets another column */
	while (over->spare.count)
		*vec_push(&self->spare) = over->spare.items[--over->spare.count];
}

/* ---- property events and variables ----------------------------------------------------------- */

/*
 * Adds the property events at the current position of the recorded order: if `before`, those that
 * happen before their anchor, otherwise the others.
 */
static void add_events(struct run_ops_maker *m, struct run_op *op, bool before)
{
	const struct property_set *set = m->ops->set;

	op->events = (uint32_t)m->ops->events.count;
	for (uint32_t p = 0; p < set->properties.count; p++) {
		const struct property_events *events = &set->properties.items[p];
		size_t *next = &m->next_event[p];

		for (; *next < events->events.count; ++*next) {
			const struct property_event *event = &events->events.items[*next];

			if (event->order != m->position || event->before != before)
				break;
			if (formulas_has_states(events->property) ||
			    formulas_has_grammar(events->property))
				*vec_push(&m->ops->events) =
					(struct run_op_event){ p, (uint32_t)*next };
		}
	}
	op->event_count = (uint32_t)m->ops->events.count - op->events;
}

static void add_writes(struct run_ops_maker *m, struct run_op *op, const struct trace_event *ev)
{
	const struct variables *variables = &m->ops->variables;
	bool writes = survey_is_access(ev) && ev->kind != EV_READ && ev->kind != EV_ATOMIC_READ;
	uint64_t end = ev->address + ev->size;

	op->writes = (uint32_t)m->ops->writes.count;
	for (size_t i = writes ? variables_first(variables, ev->address) : variables->ranges.count;
	     i < variables->ranges.count && variables->ranges.items[i].low < end; i++) {
		const struct variables_range *range = &variables->ranges.items[i];
		uint64_t low = range->low > ev->address ? range->low : ev->address;
		uint64_t high = range->high < end ? range->high : end;
		struct label_write write = { .variable = range->variable,
					     .unknown = !ev->value || !ev->unit ||
							(ev->flags & EF_INEXACT) };

		if (low >= high)
			continue;
		write.offset = (uint8_t)(low - range->low);
		write.size = (uint8_t)(high - low);
		for (uint64_t k = 0; !write.unknown && k < write.size; k++)
			write.bytes[k] = ev->value[(low - ev->address + k) % ev->unit];
		*vec_push(&m->ops->writes) = write;
	}
	op->write_count = (uint32_t)m->ops->writes.count - op->writes;
}

/* ---- operations ------------------------------------------------------------------------------ */

static void append_op(struct run_ops_maker *m, struct run_op *op)
{
	struct run_ops_thread *thread = &m->threads[op->thread];

	assign_column(m, op->thread, TRACE_NONE);
	while (m->column_ops.count < m->ops->columns)
		*vec_push(&m->column_ops) = 0;
	op->column = thread->column - 1;
	op->position = m->column_ops.items[op->column]++;
	*vec_push(&m->ops->list) = *op;
	thread->needs_op = false;
}

/* Makes the thread's last event an operation, because an operation comes after it. */
static void add_last_event(struct run_ops_maker *m, uint32_t thread)
{
	struct run_op op = { .id = m->threads[thread].last, .thread = thread };

	if (m->threads[thread].needs_op)
		append_op(m, &op);
}

static void add_last_events(struct run_ops_maker *m, uint32_t but)
{
	for (uint32_t thread = 0; thread < m->survey.threads; thread++) {
		if (thread != but)
			add_last_event(m, thread);
	}
}

static uint32_t other_thread(const struct run_ops_maker *m, const struct trace_event *ev)
{
	uint32_t stream = ev->number < TRACE_NONE
				  ? trace_find_stream(m->ops->trace, (uint32_t)ev->number)
				  : TRACE_NONE;

	return stream == TRACE_NONE ? TRACE_NONE : m->survey.thread_of[stream];
}

static void add_thread_event(struct run_ops_maker *m, struct run_op *op,
			     const struct trace_event *ev)
{
	uint32_t other = other_thread(m, ev);

	run_ops_add_lifetime(m, ev, op->thread);
	switch (ev->kind) {
	case EV_CREATE:
		op->flags |= RUN_OP_FENCE;
		if (other == TRACE_NONE)
			break;
		op->flags |= RUN_OP_CREATES;
		op->other = other;
		assign_column(m, other, op->thread);
		break;
	case EV_BEGIN:
		op->flags |= RUN_OP_FENCE;
		if (!m->survey.created[op->thread] && !trace_is_text(m->ops->trace))
			op->flags |= RUN_OP_AFTER_ALL;
		break;
	case EV_JOIN:
		op->flags |= RUN_OP_FENCE;
		if (other == TRACE_NONE)
			break;
		op->flags |= RUN_OP_AWAITS;
		op->other = other;
		add_last_event(m, other);
		break;
	case EV_SYNC:
	case EV_OPAQUE: op->flags |= RUN_OP_AFTER_ALL; break;
	}
}

static void add_request(struct run_ops_maker *m, const struct trace_event *ev, uint32_t thread)
{
	struct run_op op = { .id = { ev->stream, ev->index },
			     .thread = thread,
			     .touches = (uint32_t)m->ops->touches.count,
			     .flags = RUN_OP_BEFORE | RUN_OP_RELEVANT };

	add_events(m, &op, true);
	if (op.event_count)
		append_op(m, &op);
}

static bool add_touches(struct run_ops_maker *m, struct run_op *op, const struct trace_event *ev)
{
	switch (event_group(ev->kind)) {
	case EG_ACCESS:
	case EG_ATOMIC: return survey_is_access(ev) && run_ops_add_access(m, ev);
	case EG_MEMORY:
		run_ops_add_lifetime(m, ev, op->thread);
		run_ops_add_descriptor(m, ev);
		return false;
	case EG_THREAD: add_thread_event(m, op, ev); return false;
	default: return run_ops_add_sync(m, ev, op->thread);
	}
}

static void add_event(struct run_ops_maker *m, const struct trace_event *ev)
{
	uint32_t thread = m->survey.thread_of[trace_find_stream(m->ops->trace, ev->stream)];
	struct run_ops_thread *self = &m->threads[thread];
	struct run_op op = { .id = { ev->stream, ev->index }, .thread = thread };
	size_t touches;

	if (survey_is_access(ev) && !trace_is_text(m->ops->trace))
		variables_follow(&m->ops->variables, ev);
	add_request(m, ev, thread);
	touches = m->ops->touches.count;
	op.touches = (uint32_t)touches;
	if (self->barrier && ev->kind != EV_PASS)
		run_ops_touch(m, &(struct run_op_touch){ .object = self->barrier - 1,
							 .role = RUN_OP_KEEPS_ORDER,
							 .writes = true });
	self->barrier = 0;
	if (add_touches(m, &op, ev) && m->every)
		op.flags |= RUN_OP_COUNTED;
	op.touch_count = (uint32_t)(m->ops->touches.count - touches);
	add_events(m, &op, false);
	add_writes(m, &op, ev);
	if (op.event_count || op.write_count)
		op.flags |= RUN_OP_RELEVANT;
	if (map_get(&m->survey.unexplained, m->position) ||
	    survey_depends_on_unexplained(&m->survey, ev))
		op.flags |= RUN_OP_AFTER_ALL;
	if (op.flags & RUN_OP_AFTER_ALL)
		add_last_events(m, thread);
	self->last = op.id;
	self->needs_op = true;
	if (op.flags || op.touch_count)
		append_op(m, &op);
	if (op.flags & RUN_OP_AWAITS)
		inherit_columns(m, op.other, thread);
}

/* ---- reading a trace ------------------------------------------------------------------------- */

static void add_problem(struct run_ops *ops, const char *text)
{
	*vec_push(&ops->problems) = mem_copy_text(text, strlen(text));
}

static void add_problems(struct run_ops_maker *m)
{
	struct run_ops *ops = m->ops;

	if (!trace_is_text(ops->trace) && !trace_has_schedule(ops->trace))
		add_problem(ops, "the program was not recorded with --serial, so the exact order "
				 "of its events is unknown: a possible order is used instead");
	if (m->survey.stopped)
		add_problem(ops, "the recording is incomplete: runs end where it ends");
	if (m->survey.forced)
		add_problem(
			ops,
			"no order of the events is consistent with everything that was recorded");
	ops->ended = trace_is_text(ops->trace) ||
		     (!trace_is_cut(ops->trace) && !m->survey.stopped && !m->survey.aborted &&
		      !trace_problem_count(ops->trace));
}

static void init_maker(struct run_ops_maker *m)
{
	struct run_ops *ops = m->ops;

	survey_make(ops->trace, &m->survey);
	ops->threads = m->survey.threads;
	survey_lifetimes_open(&m->lifetimes, m->survey.threads);
	m->cell_sets = mem_zalloc((size_t)m->survey.cells + 1, sizeof *m->cell_sets);
	m->threads = mem_zalloc((size_t)m->survey.threads + 1, sizeof *m->threads);
	m->next_event = mem_zalloc(ops->set->properties.count + 1, sizeof *m->next_event);
	(void)vec_reserve(&ops->objects, (size_t)m->survey.numbers + 1);
	ops->objects.count = m->survey.numbers;
	memset(ops->objects.items, 0, ((size_t)m->survey.numbers + 1) * sizeof *ops->objects.items);
}

static void free_maker(struct run_ops_maker *m)
{
	for (uint32_t i = 0; i < m->survey.threads; i++)
		vec_free(&m->threads[i].spare);
	free(m->cell_sets);
	free(m->threads);
	vec_free(&m->column_ops);
	free(m->next_event);
	map_free(&m->globals);
	trace_symbols_close(m->symbols);
	survey_lifetimes_close(&m->lifetimes);
	survey_free(&m->survey);
}

void run_ops_read(const struct trace *trace, const struct property_set *set, bool every,
		  struct run_ops *ops)
{
	struct run_ops_maker m = { .ops = ops, .every = every };
	struct trace_order *order;
	struct trace_event event;

	*ops = (struct run_ops){ .trace = trace, .set = set };
	variables_find(trace, set, &ops->variables);
	init_maker(&m);
	order = trace_order_open(trace);
	for (; trace_order_next(order, &event); m.position++) {
		if (event.index != TRACE_NO_INDEX)
			add_event(&m, &event);
	}
	trace_order_close(order);
	variables_follow_end(&ops->variables, trace);
	add_problems(&m);
	free_maker(&m);
}

void run_ops_free(struct run_ops *ops)
{
	variables_free(&ops->variables);
	vec_free(&ops->list);
	vec_free(&ops->touches);
	vec_free(&ops->events);
	vec_free(&ops->writes);
	vec_free(&ops->objects);
	vec_free_all(&ops->problems);
}
