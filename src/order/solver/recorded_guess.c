/* Computes the first guess by following the dependences of the recorded run, thread by thread. */
#include "order/solver/recorded_guess.h"
#include "base/mem.h"

void recorded_guess_make(struct recorded_guess *p, const struct order_index *index)
{
	*p = (struct recorded_guess){ .index = index };
	p->inside = mem_zalloc((size_t)index->model->thread_count + 1, sizeof *p->inside);
	p->done = mem_zalloc((size_t)index->model->thread_count + 1, sizeof *p->done);
	p->semaphores = mem_zalloc(index->model->semaphores.count + 1, sizeof *p->semaphores);
	p->locks = mem_zalloc(index->model->locks.count + 1, sizeof *p->locks);
}

void recorded_guess_free(struct recorded_guess *p)
{
	for (size_t i = 0; i < p->index->model->locks.count; i++)
		vec_free(&p->locks[i].list);
	free(p->inside);
	free(p->done);
	free(p->locks);
	free(p->semaphores);
	vec_free(&p->threads);
}

static void raise_thread(struct recorded_guess *p, uint32_t thread, uint32_t count)
{
	if (count <= p->inside[thread])
		return;
	p->inside[thread] = count;
	*vec_push(&p->threads) = thread;
}

/* Adds a node and all nodes that must come before it. Returns false if it must be outside. */
static bool draw_in(struct recorded_guess *p, const struct closure *closure, uint32_t node)
{
	const struct order_clock *clock = p->index->clock;
	const struct order_model *m = p->index->model;

	if (node == ORDER_NONE)
		return true;
	if (closure_is_outside(closure, node))
		return false;
	if (m->position.items[node] < p->inside[m->thread.items[node]])
		return true;
	for (uint32_t t = 0; t < clock->threads; t++)
		raise_thread(p, t, clock->count[(size_t)node * clock->threads + t]);
	return true;
}

/*
 * Enters a section. For each open section that excludes it, adds the release of the section of the
 * two that was recorded first.
 */
static void enter_section(struct recorded_guess *p, const struct closure *closure, uint32_t number,
			  uint32_t section)
{
	const struct order_section *all = p->index->model->sections.items, *new = &all[section];
	struct open_sections *open =
		order_index_open_sections(p->index, p->locks, number, p->epoch);
	bool over = false;
	size_t kept = 0;

	for (size_t i = 0; i < open->list.count; i++) {
		const struct order_section *other = &all[open->list.items[i]];
		bool first = other->acquire == ORDER_NONE || other->acquire < new->acquire;
		const struct order_section *early = first ? other : new;
		bool left = false;

		if (!(new->shared && other->shared) && early->release != ORDER_NONE)
			left = draw_in(p, closure, early->release);
		if (left && !first)
			over = true;
		if (!left || !first)
			open->list.items[kept++] = open->list.items[i];
	}
	open->list.count = kept;
	if (!over)
		*vec_push(&open->list) = section;
}

/* Adds all downs that were recorded before a failed try, because the try failed due to them. */
static void draw_in_downs(struct recorded_guess *p, const struct closure *closure, uint32_t number,
			  uint32_t node)
{
	const struct order_semaphore *s = &p->index->model->semaphores.items[number];
	const uint32_t *downs = p->index->model->downs.items + s->down_start;
	struct recorded_guess_semaphore *state = &p->semaphores[number];

	if (state->epoch != p->epoch)
		*state = (struct recorded_guess_semaphore){ .epoch = p->epoch };
	while (state->drawn < s->down_count && downs[state->drawn] < node)
		draw_in(p, closure, downs[state->drawn++]);
}

static void draw_in_dependences(struct recorded_guess *p, const struct closure *closure,
				const struct index_event *e)
{
	const struct order_model *m = p->index->model;

	if (e->kind == INDEX_READ) {
		draw_in(p, closure, p->index->read_needs[e->item]);
	} else if (e->kind == INDEX_ACQUIRE) {
		enter_section(p, closure, e->object, e->item);
	} else if (e->kind == INDEX_FAIL) {
		draw_in(p, closure, p->index->fail_needs[e->item]);
	} else if (e->kind == INDEX_WOKEN && m->waits.items[e->item].wake == ORDER_WAKE_SIGNAL) {
		draw_in(p, closure, m->waits.items[e->item].used);
	} else if (e->kind == INDEX_DOWN) {
		draw_in(p, closure, p->index->down_needs[e->item]);
	} else if (e->kind == INDEX_ZERO) {
		draw_in_downs(p, closure, e->object, e->node);
	}
}

void recorded_guess_run(struct recorded_guess *p, const struct closure *closure)
{
	const struct order_index *x = p->index;
	const struct order_model *m = x->model;

	p->epoch++;
	p->steps = 0;
	p->threads.count = 0;
	for (uint32_t t = 0; t < m->thread_count; t++) {
		p->inside[t] = p->done[t] = 0;
		raise_thread(p, t, closure->inside[t]);
	}
	while (p->threads.count) {
		uint32_t t = p->threads.items[--p->threads.count];

		while (p->done[t] < p->inside[t]) {
			uint32_t node =
				m->thread_nodes.items[m->thread_start.items[t] + p->done[t]++];

			p->steps++;
			for (uint32_t i = x->event_start[node]; i < x->event_start[node + 1]; i++)
				draw_in_dependences(p, closure, &x->events[i]);
		}
	}
}
