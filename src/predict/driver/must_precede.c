#include "predict/driver/must_precede.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* With more explanations than this an event is taken to lean on nothing. */
#define EXPLANATIONS 16

/* Lists of things by node or by cell: those of i are items[start[i]] … items[start[i + 1] - 1]. */
struct lists {
	uint32_t *start, *items;
};

/* A section of a thread, in the order of its lock, thread and acquire. */
struct held_section {
	uint32_t entered; /* position of its acquire + 1, 0: before the window */
	uint32_t section;
};

struct must_precede_maker {
	struct must_precede *needs;
	const struct window *window;
	const struct order_model *model;
	const struct order_clock *clock;
	uint32_t threads;
	uint32_t *now, *least;	   /* vectors: what the present node needs; the least of some */
	struct lists edges;	   /* by node: where edges into it come from */
	struct lists reads;	   /* by node: in the model's reads */
	struct lists downs;	   /* by node: semaphores */
	struct lists wokens;	   /* by node: waits */
	struct lists acquires;	   /* by node: sections */
	uint32_t *cell_of;	   /* of each read */
	uint32_t *sorted_writes;   /* by cell, value, and recorded order: in the model's writes */
	uint32_t *next_write;	   /* of each write: the same thread's next of that cell */
	struct lists firsts;	   /* by cell: the first write of each thread */
	uint32_t *condition_of;	   /* of each wait */
	uint32_t *lock_of;	   /* of each section */
	struct held_section *held; /* as the model's sections, by lock, but sorted in it */
};

static const uint32_t *needs_of(const struct must_precede_maker *m, uint32_t node)
{
	return &m->needs->count[(size_t)node * m->threads];
}

/* Does the present node lean on that one? */
static bool leans_on(const struct must_precede_maker *m, uint32_t node)
{
	return m->now[m->model->thread.items[node]] > m->model->position.items[node];
}

static void lean(struct must_precede_maker *m, const uint32_t *more)
{
	for (uint32_t t = 0; t < m->threads; t++) {
		if (m->now[t] < more[t])
			m->now[t] = more[t];
	}
}

/* ---- lists --------------------------------------------------------------------------------- */

/* Two calls make a list: count with items NULL, then fill. */
static void list_put(struct lists *lists, uint32_t key, uint32_t item)
{
	if (key == ORDER_NONE)
		return;
	if (!lists->items)
		lists->start[key + 2]++;
	else
		lists->items[lists->start[key + 1]++] = item;
}

static void list_sum(struct lists *lists, uint32_t keys)
{
	for (size_t i = 2; i < (size_t)keys + 2; i++)
		lists->start[i] += lists->start[i - 1];
	lists->items = mem_alloc(lists->start[keys + 1] * sizeof *lists->items + 1);
}

static void put_lists(struct must_precede_maker *m)
{
	const struct order_model *model = m->model;

	for (uint32_t i = 0; i < model->edges.count; i++)
		list_put(&m->edges, model->edges.items[i].to, model->edges.items[i].from);
	for (uint32_t i = 0; i < model->reads.count; i++)
		list_put(&m->reads, model->reads.items[i].node, i);
	for (uint32_t i = 0; i < model->sections.count; i++)
		list_put(&m->acquires, model->sections.items[i].acquire, i);
	for (uint32_t i = 0; i < model->waits.count; i++) {
		if (model->waits.items[i].wake == ORDER_WAKE_SIGNAL)
			list_put(&m->wokens, model->waits.items[i].woken, i);
	}
	for (uint32_t i = 0; i < model->semaphores.count; i++) {
		const struct order_semaphore *s = &model->semaphores.items[i];

		for (uint32_t j = 0; s->initial == 0 && j < s->down_count; j++)
			list_put(&m->downs, model->downs.items[s->down_start + j], i);
	}
}

static void make_lists(struct must_precede_maker *m)
{
	struct lists *all[] = { &m->edges, &m->reads, &m->acquires, &m->wokens, &m->downs };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		all[i]->start = mem_zalloc(m->model->node_count + 2, sizeof *all[i]->start);
	put_lists(m);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		list_sum(all[i], m->model->node_count);
	put_lists(m);
}

/* ---- what reads could take ------------------------------------------------------------------ */

static int compare_values(const void *a, const void *b, void *context)
{
	const struct order_write *writes = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (writes[x].value != writes[y].value)
		return writes[x].value < writes[y].value ? -1 : 1;
	return (x > y) - (x < y);
}

/* Writes are in recorded order, a thread's in program order. `last`: by thread, its last write. */
static void link_writes(struct must_precede_maker *m, uint32_t number, uint32_t *last)
{
	const struct order_model *model = m->model;
	const struct order_cell *cell = &model->cells.items[number];

	m->firsts.start[number + 1] = m->firsts.start[number];
	for (uint32_t i = cell->write_start; i < cell->write_start + cell->write_count; i++) {
		uint32_t thread = model->thread.items[model->writes.items[i].node];

		m->sorted_writes[i] = i;
		m->next_write[i] = ORDER_NONE;
		if (last[thread] != ORDER_NONE)
			m->next_write[last[thread]] = i;
		else
			m->firsts.items[m->firsts.start[number + 1]++] = i;
		last[thread] = i;
	}
	for (uint32_t i = m->firsts.start[number]; i < m->firsts.start[number + 1]; i++)
		last[model->thread.items[model->writes.items[m->firsts.items[i]].node]] =
			ORDER_NONE;
	if (cell->write_count)
		qsort_r(&m->sorted_writes[cell->write_start], cell->write_count,
			sizeof *m->sorted_writes, compare_values, model->writes.items);
}

static void list_cells(struct must_precede_maker *m)
{
	const struct order_model *model = m->model;
	uint32_t *last = mem_alloc(m->threads * sizeof *last + 1);

	m->cell_of = mem_alloc(model->reads.count * sizeof *m->cell_of + 1);
	m->sorted_writes = mem_alloc(model->writes.count * sizeof *m->sorted_writes + 1);
	m->next_write = mem_alloc(model->writes.count * sizeof *m->next_write + 1);
	m->firsts.start = mem_zalloc(model->cells.count + 1, sizeof *m->firsts.start);
	m->firsts.items = mem_alloc(model->writes.count * sizeof *m->firsts.items + 1);
	for (uint32_t t = 0; t < m->threads; t++)
		last[t] = ORDER_NONE;
	for (uint32_t c = 0; c < model->cells.count; c++) {
		const struct order_cell *cell = &model->cells.items[c];

		link_writes(m, c, last);
		for (uint32_t i = 0; i < cell->read_count; i++)
			m->cell_of[cell->read_start + i] = c;
	}
	free(last);
}

/* The first of the cell's sorted writes with at least that value. */
static uint32_t find_value(const struct must_precede_maker *m, const struct order_cell *cell,
			   uint32_t value)
{
	uint32_t low = cell->write_start, high = low + cell->write_count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (m->model->writes.items[m->sorted_writes[middle]].value < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- explanations ----------------------------------------------------------------------------- */

/*
 * What all of some nodes lean on. One that was recorded later is not known yet: then what must
 * come before it will do.
 */
struct common {
	struct must_precede_maker *maker;
	uint32_t node; /* that they explain */
	uint32_t count;
};

static void common_add(struct common *common, uint32_t node)
{
	struct must_precede_maker *m = common->maker;
	const uint32_t *needs = node < common->node ? needs_of(m, node)
						    : &m->clock->count[(size_t)node * m->threads];

	if (common->count++ == 0) {
		memcpy(m->least, needs, m->threads * sizeof *needs);
		return;
	}
	for (uint32_t t = 0; t < m->threads; t++) {
		if (m->least[t] > needs[t])
			m->least[t] = needs[t];
	}
}

/* Is the cell's initial value gone for sure? */
static bool is_overwritten(const struct must_precede_maker *m, uint32_t cell)
{
	for (uint32_t i = m->firsts.start[cell]; i < m->firsts.start[cell + 1]; i++) {
		if (leans_on(m, m->model->writes.items[m->firsts.items[i]].node))
			return true;
	}
	return false;
}

static bool may_take(const struct must_precede_maker *m, uint32_t node, uint32_t write)
{
	uint32_t from = m->model->writes.items[write].node, next = m->next_write[write];

	if (from == node || order_clock_before(m->clock, m->model, node, from))
		return false;
	return next == ORDER_NONE || !leans_on(m, m->model->writes.items[next].node);
}

static void lean_on_writes(struct must_precede_maker *m, uint32_t node, uint32_t number)
{
	const struct order_read *read = &m->model->reads.items[number];
	const struct order_cell *cell = &m->model->cells.items[m->cell_of[number]];
	struct common common = { .maker = m, .node = node };
	uint32_t end = cell->write_start + cell->write_count;

	if (read->writer == ORDER_NONE)
		return;
	if (read->writer != ORDER_ANY) {
		if (read->writer < node)
			lean(m, needs_of(m, read->writer));
		return;
	}
	if (cell->initial == read->value && !is_overwritten(m, m->cell_of[number]))
		return;
	for (uint32_t i = find_value(m, cell, read->value), seen = 0; i < end; i++, seen++) {
		if (m->model->writes.items[m->sorted_writes[i]].value != read->value)
			break;
		if (seen == EXPLANATIONS)
			return;
		if (may_take(m, node, m->sorted_writes[i]))
			common_add(&common, m->model->writes.items[m->sorted_writes[i]].node);
	}
	if (common.count)
		lean(m, m->least);
}

static void lean_on_signals(struct must_precede_maker *m, uint32_t node, uint32_t number)
{
	const struct order_condition *c = &m->model->conditions.items[m->condition_of[number]];
	uint32_t wait = m->model->waits.items[number].wait;
	struct common common = { .maker = m, .node = node };

	if (c->signal_count > EXPLANATIONS)
		return;
	for (uint32_t i = 0; i < c->signal_count; i++) {
		uint32_t signal = m->model->signals.items[c->signal_start + i].node;

		if (order_clock_before(m->clock, m->model, node, signal) ||
		    (wait != ORDER_NONE && needs_of(m, wait)[m->model->thread.items[signal]] >
						   m->model->position.items[signal]))
			continue;
		common_add(&common, signal);
	}
	if (common.count)
		lean(m, m->least);
}

/* There was nothing at the start: a down leans on a post. */
static void lean_on_posts(struct must_precede_maker *m, uint32_t node, uint32_t number)
{
	const struct order_semaphore *s = &m->model->semaphores.items[number];
	struct common common = { .maker = m, .node = node };

	if (s->post_count > EXPLANATIONS)
		return;
	for (uint32_t i = 0; i < s->post_count; i++) {
		uint32_t post = m->model->posts.items[s->post_start + i];

		if (!order_clock_before(m->clock, m->model, node, post))
			common_add(&common, post);
	}
	if (common.count)
		lean(m, m->least);
}

/* ---- locks --------------------------------------------------------------------------------------- */

static int compare_held(const void *a, const void *b, void *context)
{
	const struct order_section *sections = context;
	const struct held_section *x = a, *y = b;
	uint32_t s = sections[x->section].thread, t = sections[y->section].thread;

	if (s != t)
		return s < t ? -1 : 1;
	if (x->entered != y->entered)
		return x->entered < y->entered ? -1 : 1;
	return (x->section > y->section) - (x->section < y->section);
}

static void list_sections(struct must_precede_maker *m)
{
	const struct order_model *model = m->model;

	m->held = mem_alloc(model->sections.count * sizeof *m->held + 1);
	m->lock_of = mem_alloc(model->sections.count * sizeof *m->lock_of + 1);
	m->condition_of = mem_alloc(model->waits.count * sizeof *m->condition_of + 1);
	for (uint32_t l = 0; l < model->locks.count; l++) {
		const struct order_lock *lock = &model->locks.items[l];

		for (uint32_t i = lock->section_start;
		     i < lock->section_start + lock->section_count; i++) {
			uint32_t acquire = model->sections.items[i].acquire;

			m->lock_of[i] = l;
			m->held[i].section = i;
			m->held[i].entered =
				acquire == ORDER_NONE ? 0 : model->position.items[acquire] + 1;
		}
		if (lock->section_count)
			qsort_r(&m->held[lock->section_start], lock->section_count, sizeof *m->held,
				compare_held, model->sections.items);
	}
	for (uint32_t c = 0; c < model->conditions.count; c++) {
		const struct order_condition *condition = &model->conditions.items[c];

		for (uint32_t i = 0; i < condition->wait_count; i++)
			m->condition_of[condition->wait_start + i] = c;
	}
}

/* The last section of the lock that the thread has entered by then, or NULL. */
static const struct order_section *last_entered(const struct must_precede_maker *m,
						const struct order_lock *lock, uint32_t thread,
						uint32_t inside)
{
	uint32_t low = lock->section_start, high = low + lock->section_count;
	const struct order_section *last;

	while (low < high) {
		uint32_t middle = (low + high) / 2;
		const struct order_section *s = &m->model->sections.items[m->held[middle].section];

		if (s->thread < thread ||
		    (s->thread == thread && m->held[middle].entered <= inside))
			low = middle + 1;
		else
			high = middle;
	}
	if (low == lock->section_start)
		return NULL;
	last = &m->model->sections.items[m->held[low - 1].section];
	return last->thread == thread ? last : NULL;
}

/*
 * The present node is in a section of the lock, or enters one. Sections of other threads that it
 * leans on the start of come before its own, so it leans on their end. True if that is news.
 */
static bool lean_on_releases(struct must_precede_maker *m, uint32_t node, uint32_t number,
			     bool shared)
{
	const struct order_lock *lock = &m->model->locks.items[number];
	bool news = false;

	for (uint32_t t = 0; t < m->threads; t++) {
		const struct order_section *s;

		if (t == m->model->thread.items[node])
			continue;
		s = last_entered(m, lock, t, m->now[t]);
		if (!s || (s->shared && shared) || s->release == ORDER_NONE || s->release >= node ||
		    leans_on(m, s->release))
			continue;
		lean(m, needs_of(m, s->release));
		news = true;
	}
	return news;
}

static bool lean_on_locks(struct must_precede_maker *m, uint32_t node)
{
	const struct window_held *held = m->window->held.items;
	bool news = false;

	for (uint32_t i = m->acquires.start[node]; i < m->acquires.start[node + 1]; i++)
		news |= lean_on_releases(m, node, m->lock_of[m->acquires.items[i]],
					 m->model->sections.items[m->acquires.items[i]].shared);
	for (uint32_t i = m->window->nodes.items[node].held; i != ORDER_NONE; i = held[i].outer) {
		if (held[i].lock != ORDER_NONE)
			news |= lean_on_releases(m, node, held[i].lock, held[i].shared);
	}
	return news;
}

/* ---- the walk --------------------------------------------------------------------------------------- */

static void make_node(struct must_precede_maker *m, uint32_t node)
{
	uint32_t previous = order_model_previous(m->model, node);

	if (previous == ORDER_NONE)
		memset(m->now, 0, m->threads * sizeof *m->now);
	else
		memcpy(m->now, needs_of(m, previous), m->threads * sizeof *m->now);
	for (uint32_t i = m->edges.start[node]; i < m->edges.start[node + 1]; i++)
		lean(m, needs_of(m, m->edges.items[i]));
	for (uint32_t i = m->reads.start[node]; i < m->reads.start[node + 1]; i++)
		lean_on_writes(m, node, m->reads.items[i]);
	for (uint32_t i = m->wokens.start[node]; i < m->wokens.start[node + 1]; i++)
		lean_on_signals(m, node, m->wokens.items[i]);
	for (uint32_t i = m->downs.start[node]; i < m->downs.start[node + 1]; i++)
		lean_on_posts(m, node, m->downs.items[i]);
	while (lean_on_locks(m, node))
		;
	m->now[m->model->thread.items[node]] = m->model->position.items[node] + 1;
	memcpy(&m->needs->count[(size_t)node * m->threads], m->now, m->threads * sizeof *m->now);
}

void must_precede_make(struct must_precede *needs, const struct window *window,
		       const struct order_clock *clock)
{
	struct must_precede_maker m = {
		.needs = needs,
		.window = window,
		.model = &window->model,
		.clock = clock,
		.threads = window->model.thread_count,
	};
	struct lists *all[] = { &m.edges, &m.reads, &m.acquires, &m.wokens, &m.downs, &m.firsts };

	needs->model = m.model;
	needs->count =
		mem_alloc((size_t)m.model->node_count * m.threads * sizeof *needs->count + 1);
	m.now = mem_alloc(m.threads * sizeof *m.now + 1);
	m.least = mem_alloc(m.threads * sizeof *m.least + 1);
	make_lists(&m);
	list_cells(&m);
	list_sections(&m);
	for (uint32_t n = 0; n < m.model->node_count; n++)
		make_node(&m, n);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		free(all[i]->start);
		free(all[i]->items);
	}
	free(m.now);
	free(m.least);
	free(m.cell_of);
	free(m.sorted_writes);
	free(m.next_write);
	free(m.condition_of);
	free(m.lock_of);
	free(m.held);
}

void must_precede_free(struct must_precede *needs)
{
	free(needs->count);
}
