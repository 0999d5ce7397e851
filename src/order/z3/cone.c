/* Computes the cone: unit clauses first, then a fixed point over all dependences. */
#include "order/z3/cone.h"

#include "base/mem.h"
#include "order/model/index.h"

struct cone_growth {
	struct order_cone *cone;
	struct order_index index;
	uint32_t *done; /* for each thread: number of nodes whose dependences were followed */
	uint32_t *writers;
};

/* Puts the node, and all that must come before it, within reach. */
static void extend_reach(struct order_cone *cone, uint32_t node)
{
	if (node != ORDER_NONE && node != ORDER_CUT && !order_cone_outside(cone, node))
		order_clock_raise(cone->clock, node, cone->reach);
}

static void reach_semaphore(struct order_cone *cone, uint32_t number)
{
	const struct order_semaphore *s = &cone->model->semaphores.items[number];

	for (uint32_t i = 0; i < s->post_count; i++)
		extend_reach(cone, cone->model->posts.items[s->post_start + i]);
	for (uint32_t i = 0; i < s->down_count; i++)
		extend_reach(cone, cone->model->downs.items[s->down_start + i]);
}

static void reach_signals(struct order_cone *cone, const struct order_condition *condition)
{
	for (uint32_t i = 0; i < condition->signal_count; i++)
		extend_reach(cone, cone->model->signals.items[condition->signal_start + i].node);
}

/*
 * An acquire alone depends on no other node. But if another thread's section of the lock is within
 * reach, too, one of the two sections may have to be left before the other is entered.
 */
static void reach_releases(struct order_cone *cone, const struct order_lock *lock, uint32_t item)
{
	const struct order_section *sections = cone->model->sections.items;
	const struct order_section *mine = &sections[item];

	for (uint32_t i = 0; i < lock->section_count; i++) {
		const struct order_section *other = &sections[lock->section_start + i];

		if (other == mine || (mine->shared && other->shared) ||
		    other->thread == mine->thread ||
		    (other->acquire != ORDER_NONE && !order_cone_reaches(cone, other->acquire)))
			continue;
		extend_reach(cone, mine->release);
		extend_reach(cone, other->release);
	}
}

/* Puts everything that the event could depend on within reach. */
static void follow_event(struct cone_growth *g, const struct index_event *event)
{
	struct order_cone *cone = g->cone;
	const struct order_model *m = cone->model;
	const struct order_lock *lock;
	uint32_t count;

	switch ((enum index_kind)event->kind) {
	case INDEX_READ:
		count = order_cone_writers(cone, &m->cells.items[event->object],
					   &m->reads.items[event->item], g->writers);
		while (count--)
			extend_reach(cone, g->writers[count]);
		break;
	case INDEX_ACQUIRE:
		reach_releases(cone, &m->locks.items[event->object], event->item);
		break;
	case INDEX_FAIL:
		lock = &m->locks.items[event->object];
		for (uint32_t i = 0; i < lock->section_count; i++)
			extend_reach(cone, m->sections.items[lock->section_start + i].acquire);
		break;
	case INDEX_WOKEN:
		if (m->waits.items[event->item].wake == ORDER_WAKE_SIGNAL)
			reach_signals(cone, &m->conditions.items[event->object]);
		break;
	case INDEX_DOWN:
	case INDEX_ZERO: reach_semaphore(cone, event->object); break;
	default: break;
	}
}

static void reach_query(struct order_cone *cone, const struct order_query *query)
{
	const struct order_model *m = cone->model;

	for (uint32_t t = 0; t < m->thread_count; t++)
		cone->reach[t] = cone->inside[t];
	for (uint32_t i = 0; i < query->atoms.count; i++) {
		extend_reach(cone, query->atoms.items[i].before);
		extend_reach(cone, query->atoms.items[i].after);
	}
	for (uint32_t i = 0; i < query->empty.count; i++)
		reach_semaphore(cone, query->empty.items[i].semaphore);
	for (uint32_t c = 0; c < m->conditions.count && query->unwoken.count; c++) {
		const struct order_condition *condition = &m->conditions.items[c];
		bool asked = false;

		for (uint32_t i = 0; i < query->unwoken.count; i++)
			asked |= query->unwoken.items[i].wait - condition->wait_start <
				 condition->wait_count;
		if (!asked)
			continue;
		reach_signals(cone, condition);
		for (uint32_t i = 0; i < condition->wait_count; i++) {
			extend_reach(cone, m->waits.items[condition->wait_start + i].wait);
			extend_reach(cone, m->waits.items[condition->wait_start + i].woken);
		}
	}
}

static void grow_reach(struct order_cone *cone, const struct order_query *query)
{
	const struct order_model *m = cone->model;
	bool *is_mutex = mem_zalloc(m->semaphores.count + 1, sizeof *is_mutex), more = true;
	struct cone_growth g = { .cone = cone,
				 .done = mem_zalloc(m->thread_count + 1, sizeof *g.done),
				 .writers = mem_zalloc(m->writes.count + 1, sizeof *g.writers) };

	order_index_make(&g.index, m, cone->clock, is_mutex);
	reach_query(cone, query);
	while (more) {
		more = false;
		for (uint32_t t = 0; t < m->thread_count; t++)
			while (g.done[t] < cone->reach[t]) {
				uint32_t at = m->thread_start.items[t] + g.done[t]++;
				uint32_t node = m->thread_nodes.items[at];

				more = true;
				for (uint32_t i = g.index.event_start[node];
				     i < g.index.event_start[node + 1]; i++)
					follow_event(&g, &g.index.events[i]);
			}
	}
	order_index_free(&g.index);
	free(is_mutex);
	free(g.done);
	free(g.writers);
}

/* Marks `node` and all nodes that must come after it as outside. */
static void fix_outside(struct order_cone *cone, uint32_t node)
{
	for (uint32_t t = 0; t < cone->model->thread_count; t++)
		cone->outside[t] = order_clock_first_after(cone->clock, cone->model, node, t,
							   cone->outside[t]);
}

/* Applies the query's unit clauses to `inside` and `outside`. Returns false if they contradict. */
static bool fix_units(struct order_cone *cone, const struct order_query *query)
{
	struct order_atom atom;
	size_t at = 0;

	while (order_query_next_unit(query, &at, &atom))
		if (atom.after == ORDER_CUT)
			order_clock_raise(cone->clock, atom.before, cone->inside);
		else if (atom.before == ORDER_CUT)
			fix_outside(cone, atom.after);
	for (uint32_t t = 0; t < cone->model->thread_count; t++)
		if (cone->inside[t] > cone->outside[t])
			return false;
	return true;
}

bool order_cone_make(struct order_cone *cone, const struct order_model *model,
		     const struct order_clock *clock, const struct order_query *query)
{
	uint32_t threads = model->thread_count;

	*cone = (struct order_cone){ .model = model,
				     .clock = clock,
				     .inside = mem_zalloc(threads + 1, sizeof *cone->inside),
				     .outside = mem_zalloc(threads + 1, sizeof *cone->outside),
				     .reach = mem_zalloc(threads + 1, sizeof *cone->reach) };
	for (uint32_t t = 0; t < threads; t++)
		cone->outside[t] = model->thread_start.items[t + 1] - model->thread_start.items[t];
	if (!fix_units(cone, query))
		return false;
	grow_reach(cone, query);
	return true;
}

void order_cone_free(struct order_cone *cone)
{
	free(cone->inside);
	free(cone->outside);
	free(cone->reach);
}

/* Must another write of the cell come between `writer` and the read? */
static bool is_overwritten(const struct order_cone *cone, const struct order_cell *cell,
			   uint32_t writer, uint32_t reader)
{
	const struct order_write *writes = &cone->model->writes.items[cell->write_start];

	for (uint32_t i = 0; i < cell->write_count; i++)
		if (writes[i].node != writer &&
		    order_clock_before(cone->clock, cone->model, writes[i].node, reader) &&
		    (writer == ORDER_NONE ||
		     order_clock_before(cone->clock, cone->model, writer, writes[i].node)))
			return true;
	return false;
}

uint32_t order_cone_writers(const struct order_cone *cone, const struct order_cell *cell,
			    const struct order_read *read, uint32_t *writers)
{
	const struct order_write *writes = &cone->model->writes.items[cell->write_start];
	uint32_t count = 0;

	for (uint32_t i = 0; i < cell->write_count; i++) {
		uint32_t w = writes[i].node;
		bool fits = read->writer == ORDER_ANY ? writes[i].value == read->value
						      : read->writer == w;

		if (fits && w != read->node && !order_cone_outside(cone, w) &&
		    !order_clock_before(cone->clock, cone->model, read->node, w) &&
		    !is_overwritten(cone, cell, w, read->node))
			writers[count++] = w;
	}
	if ((read->writer == ORDER_ANY ? cell->initial != ORDER_NONE && cell->initial == read->value
				       : read->writer == ORDER_NONE) &&
	    !is_overwritten(cone, cell, ORDER_NONE, read->node))
		writers[count++] = ORDER_NONE;
	return count;
}
