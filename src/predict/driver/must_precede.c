/*
 * Computes, for each node of a window, the nodes that every feasible prefix must contain if it
 * contains that node (must_precede.h). The result for a node is a vector: how many nodes of each
 * thread it requires. The pass takes the nodes in recorded order and joins the vectors of the
 * previous node, of the sources of edges, and of what explains the node: writes for a read, signals
 * for a wake-up, posts for a down, releases for a lock.
 */
#include "predict/driver/must_precede.h"

#include "base/mem.h"
#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* An event with more explanations than this is assumed to require nothing. */
#define EXPLANATIONS 16

/* Lists by node or by cell: the list of i is items[start[i]] … items[start[i + 1] - 1]. */
struct node_lists {
	uint32_t *start, *items;
};

/* A section of a lock. The sections of a lock are sorted by thread and acquire. */
struct held_section {
	uint32_t entered; /* its acquire's position in the thread + 1; 0: before the window */
	uint32_t section;
};

struct precede_builder {
	struct must_precede *required;
	const struct window *window;
	const struct order_model *model;
	const struct order_clock *clock;
	uint32_t threads;
	/*
	 * `now`: what the present node requires; `least`: what all explanations of an event require
	 */
	uint32_t *now, *least;
	struct node_lists edges;    /* by node: the sources of edges into it */
	struct node_lists reads;    /* by node: its reads, in the model's reads */
	struct node_lists downs;    /* by node: semaphores that it downs */
	struct node_lists wokens;   /* by node: waits that it ends */
	struct node_lists acquires; /* by node: sections that it begins */
	uint32_t *cell_of;	    /* by read: its cell */
	uint32_t *sorted_writes; /* the model's writes, sorted by cell, value, and recorded order */
	uint32_t *next_write;	 /* by write: the same thread's next write to that cell */
	struct node_lists firsts;  /* by cell: the first write of each thread */
	uint32_t *condition_of;	   /* by wait: its condition */
	uint32_t *lock_of;	   /* by section: its lock */
	struct held_section *held; /* as the model's sections, but sorted within each lock */
};

static const uint32_t *required_of(const struct precede_builder *m, uint32_t node)
{
	return &m->required->count[(size_t)node * m->threads];
}

/* Does the present node require `node`? */
static bool requires_node(const struct precede_builder *m, uint32_t node)
{
	return m->now[m->model->thread.items[node]] > m->model->position.items[node];
}

static void require_all(struct precede_builder *m, const uint32_t *more)
{
	for (uint32_t t = 0; t < m->threads; t++) {
		if (m->now[t] < more[t])
			m->now[t] = more[t];
	}
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* Lists are filled in two passes: the first counts, with `items` NULL, the second stores. */
static void put_in_list(struct node_lists *lists, uint32_t key, uint32_t item)
{
	if (key == ORDER_NONE)
		return;
	if (!lists->items)
		lists->start[key + 2]++;
	else
		lists->items[lists->start[key + 1]++] = item;
}

static void allocate_list(struct node_lists *lists, uint32_t keys)
{
	for (size_t i = 2; i < (size_t)keys + 2; i++)
		lists->start[i] += lists->start[i - 1];
	lists->items = mem_alloc(lists->start[keys + 1] * sizeof *lists->items + 1);
}

static void put_all_in_lists(struct precede_builder *m)
{
	const struct order_model *model = m->model;

	for (uint32_t i = 0; i < model->edges.count; i++)
		put_in_list(&m->edges, model->edges.items[i].to, model->edges.items[i].from);
	for (uint32_t i = 0; i < model->reads.count; i++)
		put_in_list(&m->reads, model->reads.items[i].node, i);
	for (uint32_t i = 0; i < model->sections.count; i++)
		put_in_list(&m->acquires, model->sections.items[i].acquire, i);
	for (uint32_t i = 0; i < model->waits.count; i++) {
		if (model->waits.items[i].wake == ORDER_WAKE_SIGNAL)
			put_in_list(&m->wokens, model->waits.items[i].woken, i);
	}
	for (uint32_t i = 0; i < model->semaphores.count; i++) {
		const struct order_semaphore *s = &model->semaphores.items[i];

		for (uint32_t j = 0; s->initial == 0 && j < s->down_count; j++)
			put_in_list(&m->downs, model->downs.items[s->down_start + j], i);
	}
}

static void make_node_lists(struct precede_builder *m)
{
	struct node_lists *all[] = { &m->edges, &m->reads, &m->acquires, &m->wokens, &m->downs };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		all[i]->start = mem_zalloc(m->model->node_count + 2, sizeof *all[i]->start);
	put_all_in_lists(m);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		allocate_list(all[i], m->model->node_count);
	put_all_in_lists(m);
}

/* ---- the writes that a read can take its value from ------------------------------------------ */

static int compare_values(const void *a, const void *b, void *context)
{
	const struct order_write *writes = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return sort_order(writes[x].value, writes[y].value) ?: sort_order(x, y);
}

/*
 * Indexes the writes of a cell, which are in recorded order. `last` is scratch space: the last
 * write of each thread; all ORDER_NONE before and after the call.
 */
static void index_writes(struct precede_builder *m, uint32_t number, uint32_t *last)
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

static void index_cells(struct precede_builder *m)
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

		index_writes(m, c, last);
		for (uint32_t i = 0; i < cell->read_count; i++)
			m->cell_of[cell->read_start + i] = c;
	}
	free(last);
}

/* The first of the cell's sorted writes with at least that value. */
static uint32_t find_first_write_of_value(const struct precede_builder *m,
					  const struct order_cell *cell, uint32_t value)
{
	const uint32_t *sorted = &m->sorted_writes[cell->write_start];
	uint32_t i;

	SEARCH_FIRST(i, cell->write_count, m->model->writes.items[sorted[i]].value >= value);
	return cell->write_start + i;
}

/* ---- explanations ---------------------------------------------------------------------------- */

/*
 * What all explanations of an event require. If an explanation was recorded after the event, its
 * requirements have not been computed yet: the nodes that must happen before it are taken instead.
 */
struct common_requirements {
	struct precede_builder *maker;
	uint32_t node; /* the event that they explain */
	uint32_t count;
};

static void add_explanation(struct common_requirements *common, uint32_t node)
{
	struct precede_builder *m = common->maker;
	const uint32_t *required = node < common->node
					   ? required_of(m, node)
					   : &m->clock->count[(size_t)node * m->threads];

	if (common->count++ == 0) {
		memcpy(m->least, required, m->threads * sizeof *required);
		return;
	}
	for (uint32_t t = 0; t < m->threads; t++) {
		if (m->least[t] > required[t])
			m->least[t] = required[t];
	}
}

/* Is the cell's initial value certainly overwritten before the present node? */
static bool is_overwritten(const struct precede_builder *m, uint32_t cell)
{
	for (uint32_t i = m->firsts.start[cell]; i < m->firsts.start[cell + 1]; i++) {
		if (requires_node(m, m->model->writes.items[m->firsts.items[i]].node))
			return true;
	}
	return false;
}

static bool can_read_from(const struct precede_builder *m, uint32_t node, uint32_t write)
{
	uint32_t from = m->model->writes.items[write].node, next = m->next_write[write];

	if (from == node || order_clock_before(m->clock, m->model, node, from))
		return false;
	return next == ORDER_NONE || !requires_node(m, m->model->writes.items[next].node);
}

static void require_writes(struct precede_builder *m, uint32_t node, uint32_t number)
{
	const struct order_read *read = &m->model->reads.items[number];
	const struct order_cell *cell = &m->model->cells.items[m->cell_of[number]];
	struct common_requirements common = { .maker = m, .node = node };
	uint32_t end = cell->write_start + cell->write_count;

	if (read->writer == ORDER_NONE)
		return;
	if (read->writer != ORDER_ANY) {
		if (read->writer < node)
			require_all(m, required_of(m, read->writer));
		return;
	}
	if (cell->initial == read->value && !is_overwritten(m, m->cell_of[number]))
		return;
	for (uint32_t i = find_first_write_of_value(m, cell, read->value), seen = 0; i < end;
	     i++, seen++) {
		if (m->model->writes.items[m->sorted_writes[i]].value != read->value)
			break;
		if (seen == EXPLANATIONS)
			return;
		if (can_read_from(m, node, m->sorted_writes[i]))
			add_explanation(&common, m->model->writes.items[m->sorted_writes[i]].node);
	}
	if (common.count)
		require_all(m, m->least);
}

static void require_signals(struct precede_builder *m, uint32_t node, uint32_t number)
{
	const struct order_condition *c = &m->model->conditions.items[m->condition_of[number]];
	uint32_t wait = m->model->waits.items[number].wait;
	struct common_requirements common = { .maker = m, .node = node };

	if (c->signal_count > EXPLANATIONS)
		return;
	for (uint32_t i = 0; i < c->signal_count; i++) {
		uint32_t signal = m->model->signals.items[c->signal_start + i].node;

		if (order_clock_before(m->clock, m->model, node, signal) ||
		    (wait != ORDER_NONE && required_of(m, wait)[m->model->thread.items[signal]] >
						   m->model->position.items[signal]))
			continue;
		add_explanation(&common, signal);
	}
	if (common.count)
		require_all(m, m->least);
}

/* The semaphore is 0 at the start of the window: a down requires a post. */
static void require_posts(struct precede_builder *m, uint32_t node, uint32_t number)
{
	const struct order_semaphore *s = &m->model->semaphores.items[number];
	struct common_requirements common = { .maker = m, .node = node };

	if (s->post_count > EXPLANATIONS)
		return;
	for (uint32_t i = 0; i < s->post_count; i++) {
		uint32_t post = m->model->posts.items[s->post_start + i];

		if (!order_clock_before(m->clock, m->model, node, post))
			add_explanation(&common, post);
	}
	if (common.count)
		require_all(m, m->least);
}

/* ---- locks ----------------------------------------------------------------------------------- */

static int compare_held(const void *a, const void *b, void *context)
{
	const struct order_section *sections = context;
	const struct held_section *x = a, *y = b;

	return sort_order(sections[x->section].thread, sections[y->section].thread)
		       ?: sort_order(x->entered, y->entered)
		       ?: sort_order(x->section, y->section);
}

static void index_sections_and_waits(struct precede_builder *m)
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

/*
 * The last section of the lock that the thread has entered with its first `inside` nodes, or NULL.
 */
static const struct order_section *last_entered(const struct precede_builder *m,
						const struct order_lock *lock, uint32_t thread,
						uint32_t inside)
{
	const struct held_section *held = &m->held[lock->section_start];
	const struct order_section *sections = m->model->sections.items, *last;
	uint32_t i;

	SEARCH_FIRST(
		i, lock->section_count,
		sections[held[i].section].thread > thread ||
			(sections[held[i].section].thread == thread && held[i].entered > inside));
	if (i == 0)
		return NULL;
	last = &sections[held[i - 1].section];
	return last->thread == thread ? last : NULL;
}

/*
 * The present node is in a section of the lock, or begins one. If it requires the begin of another
 * thread's section of that lock, that section comes first, so the node requires its end as well.
 * Returns true if the node requires more than before.
 */
static bool require_releases(struct precede_builder *m, uint32_t node, uint32_t number, bool shared)
{
	const struct order_lock *lock = &m->model->locks.items[number];
	bool news = false;

	for (uint32_t t = 0; t < m->threads; t++) {
		const struct order_section *s;

		if (t == m->model->thread.items[node])
			continue;
		s = last_entered(m, lock, t, m->now[t]);
		if (!s || (s->shared && shared) || s->release == ORDER_NONE || s->release >= node ||
		    requires_node(m, s->release))
			continue;
		require_all(m, required_of(m, s->release));
		news = true;
	}
	return news;
}

static bool require_locks(struct precede_builder *m, uint32_t node)
{
	const struct window_held *held = m->window->held.items;
	bool news = false;

	for (uint32_t i = m->acquires.start[node]; i < m->acquires.start[node + 1]; i++)
		news |= require_releases(m, node, m->lock_of[m->acquires.items[i]],
					 m->model->sections.items[m->acquires.items[i]].shared);
	for (uint32_t i = m->window->nodes.items[node].held; i != ORDER_NONE; i = held[i].outer) {
		if (held[i].lock != ORDER_NONE)
			news |= require_releases(m, node, held[i].lock, held[i].shared);
	}
	return news;
}

/* ---- the pass along the recorded order ------------------------------------------------------- */

static void compute_node(struct precede_builder *m, uint32_t node)
{
	uint32_t previous = order_model_previous(m->model, node);

	if (previous == ORDER_NONE)
		memset(m->now, 0, m->threads * sizeof *m->now);
	else
		memcpy(m->now, required_of(m, previous), m->threads * sizeof *m->now);
	for (uint32_t i = m->edges.start[node]; i < m->edges.start[node + 1]; i++)
		require_all(m, required_of(m, m->edges.items[i]));
	for (uint32_t i = m->reads.start[node]; i < m->reads.start[node + 1]; i++)
		require_writes(m, node, m->reads.items[i]);
	for (uint32_t i = m->wokens.start[node]; i < m->wokens.start[node + 1]; i++)
		require_signals(m, node, m->wokens.items[i]);
	for (uint32_t i = m->downs.start[node]; i < m->downs.start[node + 1]; i++)
		require_posts(m, node, m->downs.items[i]);
	while (require_locks(m, node))
		;
	m->now[m->model->thread.items[node]] = m->model->position.items[node] + 1;
	memcpy(&m->required->count[(size_t)node * m->threads], m->now, m->threads * sizeof *m->now);
}

void must_precede_make(struct must_precede *required, const struct window *window,
		       const struct order_clock *clock)
{
	struct precede_builder m = {
		.required = required,
		.window = window,
		.model = &window->model,
		.clock = clock,
		.threads = window->model.thread_count,
	};
	struct node_lists *all[] = {
		&m.edges, &m.reads, &m.acquires, &m.wokens, &m.downs, &m.firsts
	};

	required->model = m.model;
	required->count =
		mem_alloc((size_t)m.model->node_count * m.threads * sizeof *required->count + 1);
	m.now = mem_alloc(m.threads * sizeof *m.now + 1);
	m.least = mem_alloc(m.threads * sizeof *m.least + 1);
	make_node_lists(&m);
	index_cells(&m);
	index_sections_and_waits(&m);
	for (uint32_t n = 0; n < m.model->node_count; n++)
		compute_node(&m, n);
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

void must_precede_free(struct must_precede *required)
{
	free(required->count);
}
