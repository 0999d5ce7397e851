/*
 * The structure of a model, and a simulation that decides whether a sequence of nodes is a feasible
 * prefix (order_model_accepts). The simulation follows the rules in model.h one by one and shares
 * nothing with the solver, whose answers it checks.
 */
#include "order/model/model.h"
#include "base/mem.h"
#include "base/sort.h"

#include <assert.h>
#include <string.h>

void order_model_index(struct order_model *model)
{
	uint32_t nodes = model->node_count, threads = model->thread_count;
	uint32_t *start, *position, *by_thread;

	assert(model->thread.count == nodes);
	model->position.count = model->thread_start.count = model->thread_nodes.count = 0;
	position = vec_reserve(&model->position, (size_t)nodes + 1);
	by_thread = vec_reserve(&model->thread_nodes, (size_t)nodes + 1);
	start = vec_reserve(&model->thread_start, (size_t)threads + 2);
	memset(start, 0, ((size_t)threads + 2) * sizeof *start);
	for (uint32_t n = 0; n < nodes; n++) {
		assert(model->thread.items[n] < threads);
		position[n] = start[model->thread.items[n] + 1]++;
	}
	for (uint32_t t = 0; t < threads; t++)
		start[t + 1] += start[t];
	for (uint32_t n = 0; n < nodes; n++)
		by_thread[start[model->thread.items[n]] + position[n]] = n;
	model->position.count = model->thread_nodes.count = nodes;
	model->thread_start.count = (size_t)threads + 1;
}

void order_model_free(struct order_model *model)
{
	vec_free(&model->thread);
	vec_free(&model->position);
	vec_free(&model->thread_start);
	vec_free(&model->thread_nodes);
	vec_free(&model->edges);
	vec_free(&model->cells);
	vec_free(&model->writes);
	vec_free(&model->reads);
	vec_free(&model->locks);
	vec_free(&model->sections);
	vec_free(&model->fails);
	vec_free(&model->conditions);
	vec_free(&model->waits);
	vec_free(&model->signals);
	vec_free(&model->semaphores);
	vec_free(&model->posts);
	vec_free(&model->downs);
	vec_free(&model->zeros);
}

uint32_t order_model_previous(const struct order_model *model, uint32_t node)
{
	uint32_t start = model->thread_start.items[model->thread.items[node]];
	uint32_t position = model->position.items[node];

	return position ? model->thread_nodes.items[start + position - 1] : ORDER_NONE;
}

uint32_t order_model_next(const struct order_model *model, uint32_t node)
{
	uint32_t thread = model->thread.items[node];
	uint32_t at = model->thread_start.items[thread] + model->position.items[node] + 1;

	return at < model->thread_start.items[thread + 1] ? model->thread_nodes.items[at]
							  : ORDER_NONE;
}

/* ---- order_model_accepts --------------------------------------------------------------------- */

/*
 * A prefix, given by the moment of each node. at[n] is 1 + the position of node n in the prefix, or
 * OUTSIDE if the node is not inside. Moment 0 is before the window. Each rule sorts the events of
 * one object by moment.
 */
struct prefix {
	const struct order_model *model;
	uint32_t *at;
	uint64_t *sorted;  /* scratch for the events of one object: moment << 32 | item */
	uint32_t *needing; /* scratch for waits of one condition that need a signal */
};
#define OUTSIDE UINT32_MAX

/*
 * When a section or wait begins and ends. If `node` is ORDER_NONE, it began before the window, or
 * never ends.
 */
static uint32_t begin_moment(const struct prefix *p, uint32_t node)
{
	return node == ORDER_NONE ? 0 : p->at[node];
}

static uint32_t end_moment(const struct prefix *p, uint32_t node)
{
	return node == ORDER_NONE ? OUTSIDE : p->at[node];
}

static bool obeys_edges(const struct prefix *p)
{
	const struct order_model *m = p->model;

	for (uint32_t n = 0; n < m->node_count; n++) {
		uint32_t previous = order_model_previous(m, n);

		if (p->at[n] != OUTSIDE && previous != ORDER_NONE && p->at[previous] > p->at[n])
			return false;
	}
	for (size_t i = 0; i < m->edges.count; i++) {
		struct order_edge e = m->edges.items[i];

		if (p->at[e.to] != OUTSIDE && p->at[e.from] > p->at[e.to])
			return false;
	}
	return true;
}

/* Returns the last write before a moment among the first `count` of p->sorted, or NULL. */
static const struct order_write *last_write_before(const struct prefix *p, uint32_t count,
						   uint32_t moment)
{
	uint32_t next;

	SEARCH_FIRST(next, count, p->sorted[next] >> 32 >= moment);
	return next ? &p->model->writes.items[(uint32_t)p->sorted[next - 1]] : NULL;
}

static bool obeys_cell(const struct prefix *p, const struct order_cell *cell)
{
	const struct order_model *m = p->model;
	uint32_t count = 0;

	for (uint32_t i = cell->write_start; i < cell->write_start + cell->write_count; i++) {
		uint32_t at = p->at[m->writes.items[i].node];

		if (at != OUTSIDE)
			p->sorted[count++] = (uint64_t)at << 32 | i;
	}
	qsort(p->sorted, count, sizeof *p->sorted, sort_u64);
	for (uint32_t i = cell->read_start; i < cell->read_start + cell->read_count; i++) {
		const struct order_read *read = &m->reads.items[i];
		const struct order_write *write;

		if (p->at[read->node] == OUTSIDE)
			continue;
		write = last_write_before(p, count, p->at[read->node]);
		if (read->writer != ORDER_ANY) {
			if ((write ? write->node : ORDER_NONE) != read->writer)
				return false;
		} else if (write ? write->value != read->value
				 : cell->initial == ORDER_NONE || cell->initial != read->value) {
			return false;
		}
	}
	return true;
}

/* Each section must begin after the earlier sections that exclude it have ended. */
static bool obeys_sections(const struct prefix *p, const struct order_lock *lock)
{
	const struct order_section *sections = p->model->sections.items;
	uint32_t count = 0, exclusive_end = 0, any_end = 0;

	for (uint32_t i = lock->section_start; i < lock->section_start + lock->section_count; i++) {
		uint32_t at = begin_moment(p, sections[i].acquire);

		if (at != OUTSIDE)
			p->sorted[count++] = (uint64_t)at << 32 | i;
	}
	qsort(p->sorted, count, sizeof *p->sorted, sort_u64);
	for (uint32_t k = 0; k < count; k++) {
		const struct order_section *s = &sections[(uint32_t)p->sorted[k]];
		uint32_t from = (uint32_t)(p->sorted[k] >> 32), to = end_moment(p, s->release);

		if (from && from < (s->shared ? exclusive_end : any_end))
			return false;
		any_end = to > any_end ? to : any_end;
		if (!s->shared && to > exclusive_end)
			exclusive_end = to;
	}
	return true;
}

static bool explains_fails(const struct prefix *p, const struct order_lock *lock)
{
	const struct order_model *m = p->model;

	for (uint32_t i = lock->fail_start; i < lock->fail_start + lock->fail_count; i++) {
		const struct order_fail *fail = &m->fails.items[i];
		uint32_t at = p->at[fail->node];
		bool found = at == OUTSIDE;

		for (uint32_t k = lock->section_start;
		     !found && k < lock->section_start + lock->section_count; k++) {
			const struct order_section *s = &m->sections.items[k];

			found = s->thread != m->thread.items[fail->node] &&
				!(fail->shared && s->shared) && begin_moment(p, s->acquire) < at &&
				end_moment(p, s->release) > at;
		}
		if (!found)
			return false;
	}
	return true;
}

static bool was_woken_by_broadcast(const struct prefix *p, const struct order_condition *condition,
				   const struct order_wait *wait)
{
	for (uint32_t i = 0; i < condition->signal_count; i++) {
		const struct order_signal *s =
			&p->model->signals.items[condition->signal_start + i];

		if (s->broadcast && p->at[s->node] > begin_moment(p, wait->wait) &&
		    p->at[s->node] < p->at[wait->woken])
			return true;
	}
	return false;
}

/*
 * Assigns the signals in order, each to a wait that has begun and has no signal yet: of these, to
 * the wait that returns first. By the usual exchange argument, this finds a signal for every wait
 * if any assignment does.
 */
static bool explains_waits(const struct prefix *p, const struct order_condition *condition)
{
	const struct order_model *m = p->model;
	uint32_t needing_count = 0, count = 0, end = condition->wait_start + condition->wait_count;

	for (uint32_t i = condition->wait_start; i < end; i++) {
		const struct order_wait *w = &m->waits.items[i];

		if (w->wake == ORDER_WAKE_SIGNAL && w->woken != ORDER_NONE &&
		    p->at[w->woken] != OUTSIDE && !was_woken_by_broadcast(p, condition, w))
			p->needing[needing_count++] = i;
	}
	for (uint32_t i = 0; i < condition->signal_count; i++) {
		const struct order_signal *s = &m->signals.items[condition->signal_start + i];

		if (!s->broadcast && p->at[s->node] != OUTSIDE)
			p->sorted[count++] = p->at[s->node];
	}
	qsort(p->sorted, count, sizeof *p->sorted, sort_u64);
	for (uint32_t k = 0; k < count; k++) {
		uint32_t first = OUTSIDE, chosen = 0, at = (uint32_t)p->sorted[k];

		for (uint32_t i = 0; i < needing_count; i++) {
			const struct order_wait *w = &m->waits.items[p->needing[i]];

			if (begin_moment(p, w->wait) < at && at < p->at[w->woken] &&
			    p->at[w->woken] < first) {
				first = p->at[w->woken];
				chosen = i;
			}
		}
		if (first != OUTSIDE)
			p->needing[chosen] = p->needing[--needing_count];
	}
	return needing_count == 0;
}

/* Appends the moment of each node that is inside to p->sorted, with the mark `what`. */
static uint32_t collect_moments(const struct prefix *p, uint32_t count, const uint32_t *nodes,
				uint32_t number, uint64_t what)
{
	for (uint32_t i = 0; i < number; i++)
		if (p->at[nodes[i]] != OUTSIDE)
			p->sorted[count++] = (uint64_t)p->at[nodes[i]] << 32 | what;
	return count;
}

static bool obeys_semaphore(const struct prefix *p, const struct order_semaphore *s)
{
	enum { POST, DOWN, ZERO };
	const struct order_model *m = p->model;
	uint64_t left = s->initial;
	uint32_t count = 0;

	count = collect_moments(p, count, m->posts.items + s->post_start, s->post_count, POST);
	count = collect_moments(p, count, m->downs.items + s->down_start, s->down_count, DOWN);
	count = collect_moments(p, count, m->zeros.items + s->zero_start, s->zero_count, ZERO);
	qsort(p->sorted, count, sizeof *p->sorted, sort_u64);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t what = (uint32_t)p->sorted[i];

		if (what == POST)
			left++;
		else if (what == DOWN ? left == 0 : left != 0)
			return false;
		else if (what == DOWN)
			left--;
	}
	return true;
}

static bool obeys_all_objects(const struct prefix *p)
{
	const struct order_model *m = p->model;

	for (size_t i = 0; i < m->cells.count; i++)
		if (m->cells.items[i].read_count && !obeys_cell(p, &m->cells.items[i]))
			return false;
	for (size_t i = 0; i < m->locks.count; i++)
		if (!obeys_sections(p, &m->locks.items[i]) ||
		    !explains_fails(p, &m->locks.items[i]))
			return false;
	for (size_t i = 0; i < m->conditions.count; i++)
		if (!explains_waits(p, &m->conditions.items[i]))
			return false;
	for (size_t i = 0; i < m->semaphores.count; i++)
		if (!obeys_semaphore(p, &m->semaphores.items[i]))
			return false;
	return true;
}

bool order_model_accepts(const struct order_model *model, const uint32_t *inside, uint32_t count)
{
	struct prefix p = { .model = model };
	bool good = true;

	p.at = mem_alloc(((size_t)model->node_count + 1) * sizeof *p.at);
	p.sorted = mem_alloc(((size_t)model->node_count + model->sections.count + 1) *
			     sizeof *p.sorted);
	p.needing = mem_alloc((model->waits.count + 1) * sizeof *p.needing);
	for (uint32_t n = 0; n < model->node_count; n++)
		p.at[n] = OUTSIDE;
	for (uint32_t i = 0; i < count && good; i++) {
		good = inside[i] < model->node_count && p.at[inside[i]] == OUTSIDE;
		if (good)
			p.at[inside[i]] = i + 1;
	}
	good = good && obeys_edges(&p) && obeys_all_objects(&p);
	free(p.at);
	free(p.sorted);
	free(p.needing);
	return good;
}
