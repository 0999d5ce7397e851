#include "order/solver/cone.h"

#include "base/mem.h"

#include <string.h>

/* What a node does, as far as it leans on others: a list for each node. */
enum fact_kind { FACT_READ, FACT_ACQUIRE, FACT_FAIL, FACT_WOKEN, FACT_DOWN, FACT_ZERO };
struct fact {
	uint8_t kind;
	uint32_t owner; /* cell, lock, condition or semaphore */
	uint32_t item;	/* in reads, sections, fails, waits */
	uint32_t next;	/* of the same node, or ORDER_NONE */
};

struct growth {
	struct order_cone *cone;
	VEC(struct fact) facts;
	uint32_t *first; /* fact of each node */
	uint32_t *done;	 /* by thread, how many nodes' facts have been followed */
	uint32_t *writers;
};

static void note(struct growth *g, uint32_t node, enum fact_kind kind, uint32_t owner,
		 uint32_t item)
{
	if (node == ORDER_NONE)
		return;
	*vec_push(&g->facts) = (struct fact){ kind, owner, item, g->first[node] };
	g->first[node] = (uint32_t)g->facts.count - 1;
}

static void note_all(struct growth *g)
{
	const struct order_model *m = g->cone->model;

	memset(g->first, 0xff, m->node_count * sizeof *g->first);
	for (uint32_t c = 0; c < m->cells.count; c++)
		for (uint32_t i = 0; i < m->cells.items[c].read_count; i++) {
			uint32_t item = m->cells.items[c].read_start + i;

			note(g, m->reads.items[item].node, FACT_READ, c, item);
		}
	for (uint32_t l = 0; l < m->locks.count; l++) {
		const struct order_lock *lock = &m->locks.items[l];

		for (uint32_t i = 0; i < lock->section_count; i++)
			note(g, m->sections.items[lock->section_start + i].acquire, FACT_ACQUIRE, l,
			     lock->section_start + i);
		for (uint32_t i = 0; i < lock->fail_count; i++)
			note(g, m->fails.items[lock->fail_start + i].node, FACT_FAIL, l,
			     lock->fail_start + i);
	}
	for (uint32_t c = 0; c < m->conditions.count; c++)
		for (uint32_t i = 0; i < m->conditions.items[c].wait_count; i++) {
			uint32_t item = m->conditions.items[c].wait_start + i;

			if (m->waits.items[item].wake == ORDER_WAKE_SIGNAL)
				note(g, m->waits.items[item].woken, FACT_WOKEN, c, item);
		}
	for (uint32_t s = 0; s < m->semaphores.count; s++) {
		const struct order_semaphore *semaphore = &m->semaphores.items[s];

		for (uint32_t i = 0; i < semaphore->down_count; i++)
			note(g, m->downs.items[semaphore->down_start + i], FACT_DOWN, s, 0);
		for (uint32_t i = 0; i < semaphore->zero_count; i++)
			note(g, m->zeros.items[semaphore->zero_start + i], FACT_ZERO, s, 0);
	}
}

/* The node may be inside, and so may all that must come before it. */
static void reach(struct order_cone *cone, uint32_t node)
{
	if (node == ORDER_NONE || node == ORDER_CUT || order_cone_outside(cone, node))
		return;
	for (uint32_t t = 0; t < cone->model->thread_count; t++) {
		uint32_t count = cone->clock->count[(size_t)node * cone->clock->threads + t];

		if (cone->reach[t] < count)
			cone->reach[t] = count;
	}
}

static void reach_semaphore(struct order_cone *cone, uint32_t number)
{
	const struct order_semaphore *s = &cone->model->semaphores.items[number];

	for (uint32_t i = 0; i < s->post_count; i++)
		reach(cone, cone->model->posts.items[s->post_start + i]);
	for (uint32_t i = 0; i < s->down_count; i++)
		reach(cone, cone->model->downs.items[s->down_start + i]);
}

static void reach_signals(struct order_cone *cone, const struct order_condition *condition)
{
	for (uint32_t i = 0; i < condition->signal_count; i++)
		reach(cone, cone->model->signals.items[condition->signal_start + i].node);
}

/*
 * An acquire alone needs nobody. As soon as another thread's section of the lock is within reach
 * one of the two may have to be left first.
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
		reach(cone, mine->release);
		reach(cone, other->release);
	}
}

static void follow(struct growth *g, const struct fact *fact)
{
	struct order_cone *cone = g->cone;
	const struct order_model *m = cone->model;
	const struct order_lock *lock;
	uint32_t count;

	switch ((enum fact_kind)fact->kind) {
	case FACT_READ:
		count = order_cone_writers(cone, &m->cells.items[fact->owner],
					   &m->reads.items[fact->item], g->writers);
		while (count--)
			reach(cone, g->writers[count]);
		break;
	case FACT_ACQUIRE: reach_releases(cone, &m->locks.items[fact->owner], fact->item); break;
	case FACT_FAIL:
		lock = &m->locks.items[fact->owner];
		for (uint32_t i = 0; i < lock->section_count; i++)
			reach(cone, m->sections.items[lock->section_start + i].acquire);
		break;
	case FACT_WOKEN: reach_signals(cone, &m->conditions.items[fact->owner]); break;
	case FACT_DOWN:
	case FACT_ZERO: reach_semaphore(cone, fact->owner); break;
	}
}

static void reach_query(struct order_cone *cone, const struct order_query *query)
{
	const struct order_model *m = cone->model;

	for (uint32_t t = 0; t < m->thread_count; t++)
		cone->reach[t] = cone->inside[t];
	for (uint32_t i = 0; i < query->atoms.count; i++) {
		reach(cone, query->atoms.items[i].before);
		reach(cone, query->atoms.items[i].after);
	}
	for (uint32_t i = 0; i < query->empty.count; i++)
		reach_semaphore(cone, query->empty.items[i].semaphore);
	for (uint32_t c = 0; c < m->conditions.count && query->deaf.count; c++) {
		const struct order_condition *condition = &m->conditions.items[c];
		bool asked = false;

		for (uint32_t i = 0; i < query->deaf.count; i++)
			asked |= query->deaf.items[i].wait - condition->wait_start <
				 condition->wait_count;
		if (!asked)
			continue;
		reach_signals(cone, condition);
		for (uint32_t i = 0; i < condition->wait_count; i++) {
			reach(cone, m->waits.items[condition->wait_start + i].wait);
			reach(cone, m->waits.items[condition->wait_start + i].woken);
		}
	}
}

static void grow(struct order_cone *cone, const struct order_query *query)
{
	const struct order_model *m = cone->model;
	struct growth g = { .cone = cone,
			    .first = mem_zalloc(m->node_count + 1, sizeof *g.first),
			    .done = mem_zalloc(m->thread_count + 1, sizeof *g.done),
			    .writers = mem_zalloc(m->writes.count + 1, sizeof *g.writers) };
	bool more = true;

	note_all(&g);
	reach_query(cone, query);
	while (more) {
		more = false;
		for (uint32_t t = 0; t < m->thread_count; t++)
			while (g.done[t] < cone->reach[t]) {
				uint32_t at = m->thread_start.items[t] + g.done[t]++;
				uint32_t fact = g.first[m->thread_nodes.items[at]];

				more = true;
				for (; fact != ORDER_NONE; fact = g.facts.items[fact].next)
					follow(&g, &g.facts.items[fact]);
			}
	}
	vec_free(&g.facts);
	free(g.first);
	free(g.done);
	free(g.writers);
}

/* All that must come before `node` is inside with it. */
static void fix_inside(struct order_cone *cone, uint32_t node)
{
	for (uint32_t t = 0; t < cone->model->thread_count; t++) {
		uint32_t count = cone->clock->count[(size_t)node * cone->clock->threads + t];

		if (cone->inside[t] < count)
			cone->inside[t] = count;
	}
}

/* All that must come after `node` is outside with it. */
static void fix_outside(struct order_cone *cone, uint32_t node)
{
	const struct order_model *m = cone->model;

	for (uint32_t t = 0; t < m->thread_count; t++) {
		const uint32_t *nodes = &m->thread_nodes.items[m->thread_start.items[t]];
		uint32_t low = 0, high = cone->outside[t];

		while (low < high) {
			uint32_t middle = low + (high - low) / 2, at = nodes[middle];

			if (at == node || order_clock_before(cone->clock, m, node, at))
				high = middle;
			else
				low = middle + 1;
		}
		cone->outside[t] = low;
	}
}

static bool fix_units(struct order_cone *cone, const struct order_query *query)
{
	const int32_t *literals = query->clauses.items;
	size_t start = 0;

	for (size_t i = 0; i < query->clauses.count; i++) {
		if (literals[i])
			continue;
		if (i == start + 1) {
			int32_t literal = literals[start];
			size_t number = (size_t)(literal < 0 ? -(int64_t)literal : literal);
			struct order_atom atom = query->atoms.items[number - 1];
			uint32_t before = literal < 0 ? atom.after : atom.before;
			uint32_t after = literal < 0 ? atom.before : atom.after;

			if (after == ORDER_CUT && before != ORDER_CUT)
				fix_inside(cone, before);
			else if (before == ORDER_CUT && after != ORDER_CUT)
				fix_outside(cone, after);
		}
		start = i + 1;
	}
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
	grow(cone, query);
	return true;
}

void order_cone_free(struct order_cone *cone)
{
	free(cone->inside);
	free(cone->outside);
	free(cone->reach);
}

/* Is there a write between `writer` and the read, by must-happen-before? */
static bool hidden(const struct order_cone *cone, const struct order_cell *cell, uint32_t writer,
		   uint32_t reader)
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
		    !hidden(cone, cell, w, read->node))
			writers[count++] = w;
	}
	if ((read->writer == ORDER_ANY ? cell->initial != ORDER_NONE && cell->initial == read->value
				       : read->writer == ORDER_NONE) &&
	    !hidden(cone, cell, ORDER_NONE, read->node))
		writers[count++] = ORDER_NONE;
	return count;
}
