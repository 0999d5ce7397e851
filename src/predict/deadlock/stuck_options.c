#include "predict/deadlock/stuck_options.h"

#include "base/mem.h"

bool stuck_is_absent(const struct waiters *waiters, uint32_t t)
{
	const struct window_thread *thread = &waiters->window->threads.items[t];

	return !thread->created && thread->create == ORDER_NONE;
}

bool stuck_can_be_over(const struct waiters *waiters, uint32_t t)
{
	return waiters->window->threads.items[t].end == WINDOW_ENDED;
}

bool stuck_can_be_uncreated(const struct waiters *waiters, uint32_t t)
{
	return stuck_is_absent(waiters, t) ||
	       waiters->window->threads.items[t].create != ORDER_NONE;
}

/* Per lock who can have it at the cut: nobody 0, one thread its number + 1, or several. */
#define SEVERAL UINT32_MAX

struct possible {
	bool *alive;		 /* waiters */
	uint32_t *any, *writers; /* locks */
	bool *blocked;		 /* threads that have a waiter alive */
};

static void note_chain(const struct waiters *waiters, struct possible *p, uint32_t held,
		       uint32_t thread)
{
	for (; held != ORDER_NONE; held = waiters->window->held.items[held].outer) {
		const struct window_held *h = &waiters->window->held.items[held];

		if (h->lock == ORDER_NONE)
			continue;
		for (int writers = 0; writers <= !h->shared; writers++) {
			uint32_t *who = writers ? &p->writers[h->lock] : &p->any[h->lock];

			*who = *who == 0 || *who == thread + 1 ? thread + 1 : SEVERAL;
		}
	}
}

static void note_possible(const struct waiters *waiters, struct possible *p)
{
	size_t locks = waiters->window->model.locks.count;

	for (size_t i = 0; i < locks; i++)
		p->any[i] = p->writers[i] = 0;
	for (uint32_t t = 0; t < waiters->window->model.thread_count; t++) {
		p->blocked[t] = false;
		if (stuck_can_be_over(waiters, t))
			note_chain(waiters, p, waiters->window->threads.items[t].held, t);
		for (uint32_t i = waiters->thread_start[t]; i < waiters->thread_start[t + 1]; i++) {
			if (!p->alive[i])
				continue;
			p->blocked[t] = true;
			note_chain(waiters, p, waiters->items.items[i].held, t);
		}
	}
}

static bool once_may_run(const struct waiters *waiters, const struct possible *p, uint32_t once)
{
	uint32_t runner =
		waiters->window->model.thread.items[waiters->window->onces.items[once].end];

	for (uint32_t i = waiters->thread_start[runner]; i < waiters->thread_start[runner + 1]; i++)
		if (p->alive[i] && waiters_runs_once(waiters->window, once, runner,
						     waiters->items.items[i].position))
			return true;
	return false;
}

static bool is_ownerless(const struct waiter *w)
{
	return w->deaf || w->semaphore != ORDER_NONE || w->meeting != ORDER_NONE;
}

/* Can the joined thread be not created yet? Not when the one who joins it creates it. */
static bool joins_too_early(const struct waiters *waiters, const struct waiter *w)
{
	const struct window *window = waiters->window;
	uint32_t create = window->threads.items[w->joined].create;

	return create != ORDER_NONE && window->model.thread.items[create] != w->thread;
}

static bool has_reason(const struct waiters *waiters, const struct possible *p,
		       const struct waiter *w)
{
	if (is_ownerless(w))
		return true;
	if (w->lock != ORDER_NONE) {
		uint32_t who = w->shared ? p->writers[w->lock] : p->any[w->lock];

		return who && who != w->thread + 1;
	}
	if (w->joined != ORDER_NONE)
		return p->blocked[w->joined] || joins_too_early(waiters, w);
	return once_may_run(waiters, p, w->once);
}

/* How many of the thread's nodes must be inside when the waiter is next. */
static uint32_t count_needed(const struct waiters *waiters, const struct order_clock *clock,
			     const struct waiter *w, uint32_t thread)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < w->need_count; i++) {
		size_t need = waiters->needs.items[w->need_start + i];
		uint32_t count = clock->count[need * clock->threads + thread];

		if (most < count)
			most = count;
	}
	return most;
}

/* How many of the thread's nodes can be inside when the node is not. */
static uint32_t count_not_behind(const struct waiters *waiters, const struct order_clock *clock,
				 uint32_t node, uint32_t thread)
{
	const struct order_model *model = &waiters->window->model;
	uint32_t start = model->thread_start.items[thread];
	uint32_t low = 0, high = model->thread_start.items[thread + 1] - start;

	while (node != ORDER_NONE && low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (order_clock_before(clock, model, node,
				       model->thread_nodes.items[start + middle]))
			high = middle;
		else
			low = middle + 1;
	}
	return high;
}

/* Must the node be inside when the waiter is next? */
static bool needs_node(const struct waiters *waiters, const struct order_clock *clock,
		       const struct waiter *w, uint32_t node)
{
	const struct order_model *model = &waiters->window->model;

	return count_needed(waiters, clock, w, model->thread.items[node]) >
	       model->position.items[node];
}

/*
 * Does thread t have an option, as far as clocks tell, when the waiter is next? So many of its
 * nodes are inside: at least `low`, at most `high`.
 */
static bool has_option_beside(const struct waiters *waiters, const struct order_clock *clock,
			      const struct possible *p, const struct waiter *w, uint32_t t)
{
	const struct window *window = waiters->window;
	const struct order_model *model = &window->model;
	uint32_t nodes = model->thread_start.items[t + 1] - model->thread_start.items[t];
	uint32_t create = window->threads.items[t].create;
	uint32_t low, high;

	if (stuck_is_absent(waiters, t))
		return true;
	low = count_needed(waiters, clock, w, t);
	high = count_not_behind(waiters, clock, w->node, t);
	if (stuck_can_be_over(waiters, t) && high == nodes)
		return true;
	if (create != ORDER_NONE && low == 0 && !needs_node(waiters, clock, w, create))
		return true;
	for (uint32_t i = waiters->thread_start[t]; i < waiters->thread_start[t + 1]; i++) {
		const struct waiter *other = &waiters->items.items[i];

		if (p->alive[i] && other->position >= low && other->position <= high)
			return true;
	}
	return false;
}

/* The search above looks at all waiters of a thread: done once, and not for huge windows. */
#define MOST_PAIRS 20000000

static bool drop_lonely(const struct waiters *waiters, const struct order_clock *clock,
			struct possible *p)
{
	size_t count = waiters->items.count;
	bool dropped = false;

	if (count * count > MOST_PAIRS)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct waiter *w = &waiters->items.items[i];

		for (uint32_t t = 0; p->alive[i] && t < waiters->window->model.thread_count; t++) {
			if (t == w->thread || has_option_beside(waiters, clock, p, w, t))
				continue;
			p->alive[i] = false;
			dropped = true;
		}
	}
	return dropped;
}

/* Drops waiters without a reason until all that are left have one. */
static void drop_groundless(const struct waiters *waiters, struct possible *p)
{
	bool changed = true;

	while (changed) {
		changed = false;
		note_possible(waiters, p);
		for (size_t i = 0; i < waiters->items.count; i++) {
			if (p->alive[i] && !has_reason(waiters, p, &waiters->items.items[i])) {
				p->alive[i] = false;
				changed = true;
			}
		}
	}
}

bool stuck_is_last(const struct waiters *waiters, const struct waiter *w)
{
	if (is_ownerless(w))
		return true;
	if (w->joined != ORDER_NONE)
		return joins_too_early(waiters, w);
	for (uint32_t t = 0; w->lock != ORDER_NONE && t < waiters->window->model.thread_count; t++)
		if (t != w->thread && stuck_can_be_over(waiters, t) &&
		    waiters_chain_blocks(waiters->window, waiters->window->threads.items[t].held,
					 w->lock, w->shared))
			return true;
	return false;
}

static bool is_possible(const struct waiters *waiters, const struct possible *p)
{
	for (uint32_t t = 0; t < waiters->window->model.thread_count; t++)
		if (!p->blocked[t] && !stuck_can_be_over(waiters, t) &&
		    !stuck_can_be_uncreated(waiters, t))
			return false;
	for (size_t i = 0; i < waiters->items.count; i++)
		if (p->alive[i] && stuck_is_last(waiters, &waiters->items.items[i]))
			return true;
	return false;
}

bool *stuck_find_options(const struct waiters *waiters, const struct order_clock *clock)
{
	const struct order_model *model = &waiters->window->model;
	struct possible p = {
		.alive = mem_zalloc(waiters->items.count + 1, sizeof *p.alive),
		.any = mem_zalloc(model->locks.count + 1, sizeof *p.any),
		.writers = mem_zalloc(model->locks.count + 1, sizeof *p.writers),
		.blocked = mem_zalloc(model->thread_count + 1, sizeof *p.blocked),
	};

	/* Who waits for himself is a cycle of one. */
	for (size_t i = 0; i < waiters->items.count; i++)
		p.alive[i] = !waiters->items.items[i].self;
	do {
		drop_groundless(waiters, &p);
	} while (is_possible(waiters, &p) && drop_lonely(waiters, clock, &p));
	if (!is_possible(waiters, &p)) {
		free(p.alive);
		p.alive = NULL;
	}
	free(p.any);
	free(p.writers);
	free(p.blocked);
	return p.alive;
}
