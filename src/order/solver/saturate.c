/*
 * Saturation: computes the consequences of a query that need no choice. It has vector clocks in
 * which the cut is an additional thread, and applies rules that add edges until nothing changes:
 *
 *	sections	If two sections that exclude each other are inside, and the acquire of one
 *			comes before the release of the other, then the release of the first comes
 *			before the acquire of the second.
 *	reads		If a read is inside and can only read from one write w, w comes before it.
 *			Another write that comes before the read comes before w; another write that
 *			comes after w comes after the read. If there is no write that the read can
 *			read from, there is no schedule.
 *
 * and the rules of saturate_sync.c about failed tries, semaphores and conditions.
 *
 * This is the closure of M2 and SeqCheck (Pavlogiannis, "Fast, sound and effectively complete
 * dynamic race prediction", 2020; Cai et al., "Sound and efficient concurrency bug prediction",
 * 2021) with values instead of recorded writers. It costs at least node_count * threads steps, so
 * the solver asks for it only after some conflicts; then it often ends the search at once.
 */
#include "order/solver/saturate.h"
#include "base/mem.h"
#include "base/sort.h"

#include <assert.h>
#include <string.h>

/* ---- closing the clocks ---------------------------------------------------------------------- */

static void join_clocks(struct closure *c, uint32_t from, uint32_t to)
{
	struct saturation *w = c->work;
	const struct order_model *m = c->index->model;
	const uint32_t *a = saturation_clock(c, from);
	uint32_t *b = saturation_clock(c, to);
	uint32_t own = to == c->cut ? w->threads - 1 : m->thread.items[to];
	uint32_t limit = to == c->cut ? 1 : m->position.items[to] + 1;
	bool more = false;

	w->steps++;
	for (uint32_t t = 0; t < w->threads; t++)
		if (a[t] > b[t]) {
			b[t] = a[t];
			more = true;
		}
	if (!more)
		return;
	c->contradiction |= b[own] > limit;
	w->changed[to] = w->now;
	if (to != c->cut)
		for (uint32_t i = c->index->event_start[to]; i < c->index->event_start[to + 1]; i++)
			if (c->index->events[i].kind == INDEX_WRITE)
				w->cell_changed[c->index->events[i].object] = w->now;
	w->waiting[to] = true;
	if (to < w->here || w->here == 0)
		w->earliest = to < w->earliest ? to : w->earliest;
}

static void pass_on_clock(struct closure *c, uint32_t node)
{
	const struct order_index *x = c->index;

	if (node != c->cut) {
		uint32_t next = order_model_next(x->model, node);

		if (next != ORDER_NONE)
			join_clocks(c, node, next);
		for (uint32_t i = x->out_start[node]; i < x->out_start[node + 1]; i++)
			join_clocks(c, node, x->out[i]);
	}
	for (uint32_t i = c->work->first_edge[node]; i != ORDER_NONE; i = c->edges.items[i].next)
		join_clocks(c, node, c->edges.items[i].to);
}

/*
 * Passes changed clocks on to later nodes. Works in sweeps that start at the earliest changed node,
 * because most edges go forwards. Taking single nodes from a stack after each conclusion took four
 * times as long.
 */
static void spread_all(struct closure *c)
{
	struct saturation *w = c->work;

	while (w->earliest != ORDER_NONE && !c->contradiction) {
		uint32_t node = w->earliest;

		w->earliest = ORDER_NONE;
		w->here = node;
		while (!c->contradiction) {
			bool *found = memchr(w->waiting + w->here, true, c->cut + 1 - w->here);

			if (!found)
				break;
			node = (uint32_t)(found - w->waiting);
			*found = false;
			w->here = node;
			pass_on_clock(c, node);
		}
		w->here = 0;
	}
}

void saturation_conclude(struct closure *c, uint32_t a, uint32_t b)
{
	struct saturation *w = c->work;

	if (c->contradiction || saturation_before(c, a, b))
		return;
	if (a == b || saturation_before(c, b, a)) {
		c->contradiction = true;
		return;
	}
	*vec_push(&c->edges) = (struct closure_edge){ a, b, w->first_edge[a] };
	w->first_edge[a] = (uint32_t)c->edges.count - 1;
	w->progress = true;
	w->now++;
	join_clocks(c, a, b);
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* Returns the thread's last section before `limit` that excludes the given one, or NULL. */
static const struct order_section *last_rival(const struct closure *c, uint32_t lock,
					      uint32_t thread, uint32_t limit, bool shared)
{
	const struct saturation *w = c->work;
	const struct order_model *m = c->index->model;
	uint32_t at = (uint32_t)(lock * m->thread_count + thread);
	const struct saturation_section *list = w->by_thread + w->by_thread_start[at];
	uint32_t after;

	SEARCH_FIRST(after, w->by_thread_start[at + 1] - w->by_thread_start[at],
		     list[after].begin > limit);
	while (after--) {
		const struct order_section *s = &m->sections.items[list[after].section];

		if (!shared || !s->shared)
			return s;
	}
	return NULL;
}

/* If a section that excludes this one begins before this one ends, it also ends before this one. */
static void apply_section(struct closure *c, uint32_t lock, uint32_t number)
{
	struct saturation *w = c->work;
	const struct order_model *m = c->index->model;
	const struct order_section *s = &m->sections.items[number];
	uint32_t newest = w->changed[c->cut];

	if (s->acquire == ORDER_NONE || !saturation_inside(c, s->acquire))
		return;
	if (s->release != ORDER_NONE && w->changed[s->release] > newest)
		newest = w->changed[s->release];
	if (w->lock_done[number] > newest)
		return;
	w->lock_done[number] = w->now + 1;
	for (uint32_t t = 0; t < m->thread_count && !c->contradiction; t++) {
		uint32_t most = saturation_clock(c, c->cut)[t], limit = most;
		const struct order_section *rival;

		if (t == m->thread.items[s->acquire])
			continue;
		if (s->release != ORDER_NONE && saturation_clock(c, s->release)[t] < most)
			limit = saturation_clock(c, s->release)[t];
		rival = last_rival(c, lock, t, limit, s->shared);
		w->steps++;
		if (!rival)
			continue;
		if (rival->release == ORDER_NONE)
			c->contradiction = true;
		else
			saturation_conclude(c, rival->release, s->acquire);
	}
}

/* As in lemma_read.c: sets latest[t] to thread t's last write that certainly precedes the read. */
static void find_latest_writes(struct closure *c, const struct order_cell *cell, uint32_t reader)
{
	struct saturation *w = c->work;
	const struct order_model *m = c->index->model;

	for (uint32_t t = 0; t < m->thread_count; t++)
		w->latest[t] = ORDER_NONE;
	for (uint32_t i = cell->write_start; i < cell->write_start + cell->write_count; i++) {
		uint32_t node = m->writes.items[i].node;

		if (saturation_before(c, node, reader))
			w->latest[m->thread.items[node]] = node;
	}
	w->steps += cell->write_count;
}

static bool can_take_from(const struct closure *c, uint32_t reader, uint32_t writer)
{
	const struct order_model *m = c->index->model;

	if (writer != ORDER_NONE && (writer == reader || saturation_before(c, reader, writer) ||
				     saturation_before(c, c->cut, writer)))
		return false;
	for (uint32_t t = 0; t < m->thread_count; t++) {
		uint32_t between = c->work->latest[t];

		if (between == ORDER_NONE || between == writer)
			continue;
		if (writer == ORDER_NONE || saturation_before(c, writer, between))
			return false;
	}
	return true;
}

/* Returns how many writes (at most 2) the read can read from, and sets *writer to the last one. */
static unsigned count_writers(const struct closure *c, const struct order_cell *cell,
			      const struct order_read *read, uint32_t *writer)
{
	const struct order_model *m = c->index->model;
	unsigned found = 0;

	if (read->writer != ORDER_ANY) {
		*writer = read->writer;
		return can_take_from(c, read->node, read->writer);
	}
	if (cell->initial != ORDER_NONE && cell->initial == read->value &&
	    can_take_from(c, read->node, ORDER_NONE)) {
		*writer = ORDER_NONE;
		found++;
	}
	for (uint32_t i = cell->write_start; i < cell->write_start + cell->write_count && found < 2;
	     i++) {
		uint32_t node = m->writes.items[i].node;

		if (m->writes.items[i].value == read->value && can_take_from(c, read->node, node)) {
			*writer = node;
			found++;
		}
	}
	return found;
}

static void apply_read(struct closure *c, uint32_t cell_number, uint32_t number)
{
	struct saturation *w = c->work;
	const struct order_model *m = c->index->model;
	const struct order_cell *cell = &m->cells.items[cell_number];
	const struct order_read *read = &m->reads.items[number];
	uint32_t newest = w->cell_changed[cell_number], writer;
	unsigned found;

	if (!saturation_inside(c, read->node))
		return;
	if (w->changed[read->node] > newest)
		newest = w->changed[read->node];
	if (w->read_done[number] > newest)
		return;
	w->read_done[number] = w->now + 1;
	find_latest_writes(c, cell, read->node);
	found = count_writers(c, cell, read, &writer);
	c->contradiction |= found == 0;
	if (found != 1)
		return;
	if (writer != ORDER_NONE)
		saturation_conclude(c, writer, read->node);
	for (uint32_t i = cell->write_start; i < cell->write_start + cell->write_count; i++) {
		uint32_t other = m->writes.items[i].node;

		if (other == writer || other == read->node)
			continue;
		if (writer == ORDER_NONE)
			saturation_conclude(c, read->node, other);
		else if (saturation_before(c, other, read->node))
			saturation_conclude(c, other, writer);
		else if (saturation_before(c, writer, other))
			saturation_conclude(c, read->node, other);
	}
	w->steps += cell->write_count;
}

static void apply_rules(struct closure *c)
{
	struct saturation *w = c->work;
	const struct order_model *m = c->index->model;

	do {
		w->progress = false;
		for (uint32_t o = 0; o < m->locks.count && !saturation_is_over(c); o++) {
			const struct order_lock *l = &m->locks.items[o];

			for (uint32_t i = 0; i < l->section_count && !saturation_is_over(c); i++)
				apply_section(c, o, l->section_start + i);
			spread_all(c);
			w->steps += l->section_count;
			saturation_apply_fails(c, o);
			spread_all(c);
		}
		for (uint32_t o = 0; o < m->semaphores.count && !saturation_is_over(c); o++) {
			saturation_apply_semaphore(c, o);
			spread_all(c);
		}
		for (uint32_t o = 0; o < m->conditions.count && !saturation_is_over(c); o++) {
			saturation_apply_waits(c, o);
			spread_all(c);
		}
		for (uint32_t o = 0; o < m->cells.count && !saturation_is_over(c); o++) {
			const struct order_cell *cell = &m->cells.items[o];

			for (uint32_t i = 0; i < cell->read_count && !saturation_is_over(c); i++)
				apply_read(c, o, cell->read_start + i);
			spread_all(c);
			w->steps += cell->read_count;
		}
	} while (w->progress && !saturation_is_over(c));
}

/* ---- lifetime -------------------------------------------------------------------------------- */

SORT_COMPARISON(by_begin, struct saturation_section, a, b, sort_order(a->begin, b->begin))

static void make_thread_sections(struct closure *c)
{
	struct saturation *w = c->work;
	const struct order_model *m = c->index->model;
	uint32_t count = 0, at = 0;

	w->by_thread_start =
		mem_zalloc(m->locks.count * m->thread_count + 1, sizeof *w->by_thread_start);
	w->by_thread = mem_zalloc(m->sections.count + 1, sizeof *w->by_thread);
	for (size_t o = 0; o < m->locks.count; o++)
		for (uint32_t t = 0; t < m->thread_count; t++) {
			const struct order_lock *l = &m->locks.items[o];
			uint32_t start = count;

			for (uint32_t i = l->section_start; i < l->section_start + l->section_count;
			     i++) {
				const struct order_section *s = &m->sections.items[i];

				if (s->thread != t)
					continue;
				w->by_thread[count++] = (struct saturation_section){
					i, s->acquire == ORDER_NONE
						   ? 0
						   : m->position.items[s->acquire] + 1
				};
			}
			qsort(w->by_thread + start, count - start, sizeof *w->by_thread, by_begin);
			w->by_thread_start[++at] = count;
		}
}

static void make_work(struct closure *c)
{
	const struct order_model *m = c->index->model;
	struct saturation *w = c->work = mem_zalloc(1, sizeof *w);
	size_t nodes = (size_t)m->node_count + 1;

	w->threads = m->thread_count + 1;
	c->count = mem_alloc(nodes * w->threads * sizeof *c->count);
	w->first_edge = mem_zalloc(nodes, sizeof *w->first_edge);
	w->changed = mem_zalloc(nodes, sizeof *w->changed);
	w->waiting = mem_zalloc(nodes, sizeof *w->waiting);
	w->cell_changed = mem_zalloc(m->cells.count + 1, sizeof *w->cell_changed);
	w->read_done = mem_zalloc(m->reads.count + 1, sizeof *w->read_done);
	w->lock_done = mem_zalloc(m->sections.count + 1, sizeof *w->lock_done);
	w->latest = mem_zalloc(w->threads, sizeof *w->latest);
	make_thread_sections(c);
}

void closure_free_work(struct closure *c)
{
	struct saturation *w = c->work;

	if (!w)
		return;
	free(w->first_edge);
	free(w->changed);
	free(w->waiting);
	free(w->cell_changed);
	free(w->read_done);
	free(w->lock_done);
	free(w->latest);
	free(w->by_thread_start);
	free(w->by_thread);
	free(w);
	c->work = NULL;
}

/* Copies the model's clocks. There are no conclusions yet. */
static void start_from_model(struct closure *c)
{
	struct saturation *w = c->work;
	const struct order_model *m = c->index->model;
	const struct order_clock *clock = c->index->clock;

	for (uint32_t n = 0; n < m->node_count; n++) {
		memcpy(saturation_clock(c, n), clock->count + (size_t)n * clock->threads,
		       clock->threads * sizeof *c->count);
		saturation_clock(c, n)[w->threads - 1] = 0;
	}
	memset(saturation_clock(c, c->cut), 0, w->threads * sizeof *c->count);
	saturation_clock(c, c->cut)[w->threads - 1] = 1;
	memset(w->first_edge, 0xff, ((size_t)m->node_count + 1) * sizeof *w->first_edge);
	memset(w->changed, 0, ((size_t)m->node_count + 1) * sizeof *w->changed);
	memset(w->cell_changed, 0, m->cells.count * sizeof *w->cell_changed);
	memset(w->read_done, 0, m->reads.count * sizeof *w->read_done);
	memset(w->lock_done, 0, m->sections.count * sizeof *w->lock_done);
	memset(w->waiting, 0, (size_t)m->node_count + 1);
	w->earliest = ORDER_NONE;
	w->here = 0;
	w->now = 1;
	w->steps = (uint64_t)m->node_count;
	c->edges.count = 0;
}

/* Stores which nodes are certainly inside and outside, for closure_is_inside() and _outside(). */
static void store_inside_outside(struct closure *c)
{
	const struct order_model *m = c->index->model;

	for (uint32_t t = 0; t < m->thread_count; t++) {
		const uint32_t *nodes = m->thread_nodes.items + m->thread_start.items[t];
		uint32_t count = m->thread_start.items[t + 1] - m->thread_start.items[t];
		uint32_t first = c->outside[t] < count ? c->outside[t] : count;

		while (first && saturation_before(c, c->cut, nodes[first - 1]))
			first--;
		c->inside[t] = saturation_clock(c, c->cut)[t];
		if (first < count)
			c->outside[t] = first;
	}
	c->saturated = true;
}

uint64_t closure_saturate(struct closure *c, const struct order_edge *known, size_t count,
			  uint64_t limit)
{
	const struct order_model *m = c->index->model;

	if (!c->work)
		make_work(c);
	start_from_model(c);
	c->work->limit = limit;
	for (uint32_t t = 0; t < m->thread_count; t++) {
		const uint32_t *nodes = m->thread_nodes.items + m->thread_start.items[t];

		if (c->inside[t])
			saturation_conclude(c, nodes[c->inside[t] - 1], c->cut);
		if (m->thread_start.items[t] + c->outside[t] < m->thread_start.items[t + 1] &&
		    c->outside[t] != ORDER_NONE)
			saturation_conclude(c, c->cut, nodes[c->outside[t]]);
	}
	for (size_t i = 0; i < count; i++)
		saturation_conclude(c, known[i].from, known[i].to);
	spread_all(c);
	if (!c->contradiction)
		apply_rules(c);
	if (!c->contradiction)
		store_inside_outside(c);
	return c->work->steps;
}
