#include "monitor/computation/run_ops.h"

#include "base/mem.h"
#include "monitor/computation/formulas.h"
#include "trace/order.h"
#include "trace/symbol.h"

#include <stdlib.h>
#include <string.h>

void run_ops_touch(struct run_ops_maker *m, const struct run_op_touch *touch)
{
	*vec_push(&m->acts->touches) = *touch;
}

uint32_t run_ops_new_set(struct run_ops_maker *m)
{
	return m->acts->sets++;
}

/* ---- columns ---------------------------------------------------------------------------------- */

static void give_column(struct run_ops_maker *m, uint32_t lane, uint32_t creator)
{
	struct run_ops_lane *self = &m->lanes[lane];

	if (self->column)
		return;
	if (creator != TRACE_NONE && m->lanes[creator].spare.count)
		self->column = m->lanes[creator].spare.items[--m->lanes[creator].spare.count] + 1;
	else
		self->column = ++m->acts->columns;
}

/* A thread that is over leaves its column to whoever joined it, for a thread that one creates. */
static void take_columns(struct run_ops_maker *m, uint32_t joined, uint32_t lane)
{
	struct run_ops_lane *over = &m->lanes[joined], *self = &m->lanes[lane];

	if (joined == lane || !over->column)
		return;
	*vec_push(&self->spare) = over->column - 1;
	over->column = 0; /* should it go on nevertheless, it gets another one */
	while (over->spare.count)
		*vec_push(&self->spare) = over->spare.items[--over->spare.count];
}

/* ---- what means something --------------------------------------------------------------------- */

/* The property events at this place of the recorded order, those before their anchor or the others. */
static void add_events(struct run_ops_maker *m, struct run_op *act, bool before)
{
	const struct property_set *set = m->acts->set;

	act->events = (uint32_t)m->acts->events.count;
	for (uint32_t p = 0; p < set->properties.count; p++) {
		const struct property_events *events = &set->properties.items[p];
		size_t *next = &m->next_event[p];

		for (; *next < events->events.count; ++*next) {
			const struct property_event *event = &events->events.items[*next];

			if (event->order != m->place || event->before != before)
				break;
			if (formulas_has_states(events->property) ||
			    formulas_has_grammar(events->property))
				*vec_push(&m->acts->events) =
					(struct run_op_event){ p, (uint32_t)*next };
		}
	}
	act->event_count = (uint32_t)m->acts->events.count - act->events;
}

static void add_writes(struct run_ops_maker *m, struct run_op *act, const struct trace_event *ev)
{
	const struct variables *variables = &m->acts->variables;
	bool writes = survey_is_access(ev) && ev->kind != EV_READ && ev->kind != EV_ATOMIC_READ;
	uint64_t end = ev->address + ev->size;

	act->writes = (uint32_t)m->acts->writes.count;
	for (size_t i = writes ? variables_first(variables, ev->address) : variables->ranges.count;
	     i < variables->ranges.count && variables->ranges.items[i].low < end; i++) {
		const struct variables_range *range = &variables->ranges.items[i];
		uint64_t low = range->low > ev->address ? range->low : ev->address;
		uint64_t high = range->high < end ? range->high : end;
		struct run_op_write write = { .variable = range->variable,
					      .unknown = !ev->value || !ev->unit ||
							 (ev->flags & EF_INEXACT) };

		if (low >= high)
			continue;
		write.offset = (uint8_t)(low - range->low);
		write.size = (uint8_t)(high - low);
		for (uint64_t k = 0; !write.unknown && k < write.size; k++)
			write.bytes[k] = ev->value[(low - ev->address + k) % ev->unit];
		*vec_push(&m->acts->writes) = write;
	}
	act->write_count = (uint32_t)m->acts->writes.count - act->writes;
}

/* ---- acts ------------------------------------------------------------------------------------- */

static void push(struct run_ops_maker *m, struct run_op *act)
{
	struct run_ops_lane *lane = &m->lanes[act->lane];

	give_column(m, act->lane, TRACE_NONE);
	while (m->positions.count < m->acts->columns)
		*vec_push(&m->positions) = 0;
	act->column = lane->column - 1;
	act->position = m->positions.items[act->column]++;
	*vec_push(&m->acts->list) = *act;
	lane->trails = false;
}

/* What the thread did last, as an act of its own: something comes after all of it. */
static void mark_last(struct run_ops_maker *m, uint32_t lane)
{
	struct run_op act = { .id = m->lanes[lane].last, .lane = lane };

	if (m->lanes[lane].trails)
		push(m, &act);
}

static void mark_all(struct run_ops_maker *m, uint32_t but)
{
	for (uint32_t lane = 0; lane < m->survey.lanes; lane++) {
		if (lane != but)
			mark_last(m, lane);
	}
}

static uint32_t other_lane(const struct run_ops_maker *m, const struct trace_event *ev)
{
	uint32_t stream = ev->number < TRACE_NONE
				  ? trace_find_stream(m->acts->trace, (uint32_t)ev->number)
				  : TRACE_NONE;

	return stream == TRACE_NONE ? TRACE_NONE : m->survey.lane_of[stream];
}

static void see_thread(struct run_ops_maker *m, struct run_op *act, const struct trace_event *ev)
{
	uint32_t other = other_lane(m, ev);

	run_ops_see_life(m, ev, act->lane);
	switch (ev->kind) {
	case EV_CREATE:
		act->flags |= RUN_OP_FENCE;
		if (other == TRACE_NONE)
			break;
		act->flags |= RUN_OP_CREATES;
		act->other = other;
		give_column(m, other, act->lane);
		break;
	case EV_BEGIN:
		act->flags |= RUN_OP_FENCE;
		if (!m->survey.created[act->lane] && !trace_is_text(m->acts->trace))
			act->flags |= RUN_OP_LAST;
		break;
	case EV_JOIN:
		act->flags |= RUN_OP_FENCE;
		if (other == TRACE_NONE)
			break;
		act->flags |= RUN_OP_AWAITS;
		act->other = other;
		mark_last(m, other);
		break;
	case EV_SYNC: act->flags |= RUN_OP_LAST; break;
	}
}

static void see_request(struct run_ops_maker *m, const struct trace_event *ev, uint32_t lane)
{
	struct run_op act = { .id = { ev->stream, ev->index },
			      .lane = lane,
			      .touches = (uint32_t)m->acts->touches.count,
			      .flags = RUN_OP_BEFORE | RUN_OP_MEANS };

	add_events(m, &act, true);
	if (act.event_count)
		push(m, &act);
}

static bool see_event(struct run_ops_maker *m, struct run_op *act, const struct trace_event *ev)
{
	switch (event_group(ev->kind)) {
	case EG_ACCESS:
	case EG_ATOMIC: return survey_is_access(ev) && run_ops_see_access(m, ev);
	case EG_MEMORY:
		run_ops_see_life(m, ev, act->lane);
		run_ops_see_descriptor(m, ev);
		return false;
	case EG_THREAD: see_thread(m, act, ev); return false;
	default: return run_ops_see_sync(m, ev, act->lane);
	}
}

static void see(struct run_ops_maker *m, const struct trace_event *ev)
{
	uint32_t lane = m->survey.lane_of[trace_find_stream(m->acts->trace, ev->stream)];
	struct run_ops_lane *self = &m->lanes[lane];
	struct run_op act = { .id = { ev->stream, ev->index }, .lane = lane };
	size_t touches;

	if (survey_is_access(ev) && !trace_is_text(m->acts->trace))
		variables_follow(&m->acts->variables, ev);
	see_request(m, ev, lane);
	touches = m->acts->touches.count;
	act.touches = (uint32_t)touches;
	if (self->barrier && ev->kind != EV_PASS)
		run_ops_touch(m, &(struct run_op_touch){ .object = self->barrier - 1,
							 .role = RUN_OP_CHAINS,
							 .writes = true });
	self->barrier = 0;
	if (see_event(m, &act, ev) && m->every)
		act.flags |= RUN_OP_COUNTED;
	act.touch_count = (uint32_t)(m->acts->touches.count - touches);
	add_events(m, &act, false);
	add_writes(m, &act, ev);
	if (act.event_count || act.write_count)
		act.flags |= RUN_OP_MEANS;
	if (map_get(&m->survey.unexplained, m->place) || survey_learns_of_unseen(&m->survey, ev))
		act.flags |= RUN_OP_LAST;
	if (act.flags & RUN_OP_LAST)
		mark_all(m, lane);
	self->last = act.id;
	self->trails = true;
	if (act.flags || act.touch_count)
		push(m, &act);
	if (act.flags & RUN_OP_AWAITS)
		take_columns(m, act.other, lane);
}

/* ------------------------------------------------------------------------------------------------ */

static void say(struct run_ops *acts, const char *text)
{
	*vec_push(&acts->problems) = mem_copy_text(text, strlen(text));
}

static void say_problems(struct run_ops_maker *m)
{
	struct run_ops *acts = m->acts;

	if (!trace_is_text(acts->trace) && !trace_has_schedule(acts->trace))
		say(acts, "the run was not recorded with --serial: its order is not exact, and one "
			  "that can have been is taken for it");
	if (m->survey.stopped)
		say(acts, "the recording lacks something: runs end where it does");
	if (m->survey.forced)
		say(acts, "no order of the events fits all that was recorded");
	acts->ended = trace_is_text(acts->trace) ||
		      (!trace_is_cut(acts->trace) && !m->survey.stopped && !m->survey.aborted &&
		       !trace_problem_count(acts->trace));
}

static void open_maker(struct run_ops_maker *m)
{
	struct run_ops *acts = m->acts;

	survey_make(acts->trace, &m->survey);
	acts->lanes = m->survey.lanes;
	survey_lives_open(&m->lives, m->survey.lanes);
	m->cell_sets = mem_zalloc((size_t)m->survey.cells + 1, sizeof *m->cell_sets);
	m->locks = mem_zalloc(m->survey.objects.count + 1, sizeof *m->locks);
	m->lanes = mem_zalloc((size_t)m->survey.lanes + 1, sizeof *m->lanes);
	m->next_event = mem_zalloc(acts->set->properties.count + 1, sizeof *m->next_event);
	(void)vec_reserve(&acts->objects, (size_t)m->survey.numbers + 1);
	acts->objects.count = m->survey.numbers;
	memset(acts->objects.items, 0,
	       ((size_t)m->survey.numbers + 1) * sizeof *acts->objects.items);
}

static void close_maker(struct run_ops_maker *m)
{
	for (size_t i = 0; i < m->survey.objects.count; i++)
		vec_free(&m->locks[i].readers);
	for (uint32_t i = 0; i < m->survey.lanes; i++)
		vec_free(&m->lanes[i].spare);
	free(m->cell_sets);
	free(m->locks);
	free(m->lanes);
	vec_free(&m->positions);
	free(m->next_event);
	map_free(&m->globals);
	trace_symbols_close(m->symbols);
	survey_lives_close(&m->lives);
	survey_free(&m->survey);
}

void run_ops_read(const struct trace *trace, const struct property_set *set, bool every,
		  struct run_ops *acts)
{
	struct run_ops_maker m = { .acts = acts, .every = every };
	struct trace_order *order;
	struct trace_event event;

	*acts = (struct run_ops){ .trace = trace, .set = set };
	variables_find(trace, set, &acts->variables);
	open_maker(&m);
	order = trace_order_open(trace);
	for (; trace_order_next(order, &event); m.place++) {
		if (event.index != TRACE_NO_INDEX)
			see(&m, &event);
	}
	trace_order_close(order);
	variables_follow_end(&acts->variables, trace);
	say_problems(&m);
	close_maker(&m);
}

void run_ops_free(struct run_ops *acts)
{
	variables_free(&acts->variables);
	vec_free(&acts->list);
	vec_free(&acts->touches);
	vec_free(&acts->events);
	vec_free(&acts->writes);
	vec_free(&acts->objects);
	for (size_t i = 0; i < acts->problems.count; i++)
		free(acts->problems.items[i]);
	vec_free(&acts->problems);
}
