/*
 * Finds the waiters at which threads can be blocked when no thread can go on. Starts with all
 * waiters. Repeatedly drops waiters that have no reason to be blocked, and waiters that are
 * incompatible with every possible state of some other thread, until nothing changes.
 */
#include "predict/deadlock/final_states.h"

#include "base/mem.h"
#include "base/sort.h"

bool final_is_absent(const struct waiters *waiters, uint32_t t)
{
	const struct window_thread *thread = &waiters->window->threads.items[t];

	return !thread->created && thread->create == ORDER_NONE;
}

bool final_can_be_over(const struct waiters *waiters, uint32_t t)
{
	return waiters->window->threads.items[t].end == WINDOW_ENDED;
}

static bool can_be_uncreated(const struct waiters *waiters, uint32_t t)
{
	return final_is_absent(waiters, t) ||
	       waiters->window->threads.items[t].create != ORDER_NONE;
}

/* Values of possible_states.any and .writers: 0 (no thread), a thread's number + 1, or SEVERAL. */
#define SEVERAL UINT32_MAX

struct possible_states {
	bool *possible;		 /* by waiter: not dropped */
	uint32_t *any, *writers; /* by lock: possible holders; possible writers */
	bool *blocked;		 /* by thread: it has a possible waiter */
};

static void add_owners(const struct waiters *waiters, struct possible_states *p, uint32_t held,
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

static void find_possible_owners(const struct waiters *waiters, struct possible_states *p)
{
	size_t locks = waiters->window->model.locks.count;

	for (size_t i = 0; i < locks; i++)
		p->any[i] = p->writers[i] = 0;
	for (uint32_t t = 0; t < waiters->window->model.thread_count; t++) {
		p->blocked[t] = false;
		if (final_can_be_over(waiters, t))
			add_owners(waiters, p, waiters->window->threads.items[t].held, t);
		for (uint32_t i = waiters->thread_start[t]; i < waiters->thread_start[t + 1]; i++) {
			if (!p->possible[i])
				continue;
			p->blocked[t] = true;
			add_owners(waiters, p, waiters->items.items[i].held, t);
		}
	}
}

static bool once_may_run(const struct waiters *waiters, const struct possible_states *p,
			 uint32_t once)
{
	uint32_t runner =
		waiters->window->model.thread.items[waiters->window->onces.items[once].end];

	for (uint32_t i = waiters->thread_start[runner]; i < waiters->thread_start[runner + 1]; i++)
		if (p->possible[i] && waiters_runs_once(waiters->window, once, runner,
							waiters->items.items[i].position))
			return true;
	return false;
}

static bool waits_for_no_thread(const struct waiter *w)
{
	return w->waits_for_signal || w->semaphore != ORDER_NONE || w->meeting != ORDER_NONE;
}

/* Can the joined thread still be uncreated? Not if the thread that joins it also creates it. */
static bool joins_too_early(const struct waiters *waiters, const struct waiter *w)
{
	const struct window *window = waiters->window;
	uint32_t create = window->threads.items[w->joined].create;

	return create != ORDER_NONE && window->model.thread.items[create] != w->thread;
}

static bool has_reason(const struct waiters *waiters, const struct possible_states *p,
		       const struct waiter *w)
{
	if (waits_for_no_thread(w))
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
static uint32_t count_required(const struct waiters *waiters, const struct order_clock *clock,
			       const struct waiter *w, uint32_t thread)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < w->required_count; i++) {
		size_t need = waiters->required.items[w->required_start + i];
		uint32_t count = clock->count[need * clock->threads + thread];

		if (most < count)
			most = count;
	}
	return most;
}

/* How many of the thread's nodes can be inside while `node` is not. */
static uint32_t count_possible(const struct waiters *waiters, const struct order_clock *clock,
			       uint32_t node, uint32_t thread)
{
	const struct order_model *model = &waiters->window->model;
	uint32_t start = model->thread_start.items[thread];
	uint32_t count = model->thread_start.items[thread + 1] - start, i;

	if (node == ORDER_NONE)
		return count;
	SEARCH_FIRST(i, count,
		     order_clock_before(clock, model, node, model->thread_nodes.items[start + i]));
	return i;
}

/* Must the node be inside when the waiter is next? */
static bool requires_node(const struct waiters *waiters, const struct order_clock *clock,
			  const struct waiter *w, uint32_t node)
{
	const struct order_model *model = &waiters->window->model;

	return count_required(waiters, clock, w, model->thread.items[node]) >
	       model->position.items[node];
}

/*
 * As far as clocks say, can thread t be in one of its possible states when the waiter is next? At
 * that point at least `low` and at most `high` nodes of t are inside.
 */
static bool has_state_beside(const struct waiters *waiters, const struct order_clock *clock,
			     const struct possible_states *p, const struct waiter *w, uint32_t t)
{
	const struct window *window = waiters->window;
	const struct order_model *model = &window->model;
	uint32_t nodes = model->thread_start.items[t + 1] - model->thread_start.items[t];
	uint32_t create = window->threads.items[t].create;
	uint32_t low, high;

	if (final_is_absent(waiters, t))
		return true;
	low = count_required(waiters, clock, w, t);
	high = count_possible(waiters, clock, w->node, t);
	if (final_can_be_over(waiters, t) && high == nodes)
		return true;
	if (create != ORDER_NONE && low == 0 && !requires_node(waiters, clock, w, create))
		return true;
	for (uint32_t i = waiters->thread_start[t]; i < waiters->thread_start[t + 1]; i++) {
		const struct waiter *other = &waiters->items.items[i];

		if (p->possible[i] && other->position >= low && other->position <= high)
			return true;
	}
	return false;
}

/* The test below compares all waiters with each other: it is left out for huge windows. */
#define MOST_PAIRS 20000000

static bool drop_incompatible(const struct waiters *waiters, const struct order_clock *clock,
			      struct possible_states *p)
{
	size_t count = waiters->items.count;
	bool dropped = false;

	if (count * count > MOST_PAIRS)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct waiter *w = &waiters->items.items[i];

		for (uint32_t t = 0; p->possible[i] && t < waiters->window->model.thread_count;
		     t++) {
			if (t == w->thread || has_state_beside(waiters, clock, p, w, t))
				continue;
			p->possible[i] = false;
			dropped = true;
		}
	}
	return dropped;
}

/* Drops waiters without a reason to be blocked until every remaining one has a reason. */
static void drop_unfounded(const struct waiters *waiters, struct possible_states *p)
{
	bool changed = true;

	while (changed) {
		changed = false;
		find_possible_owners(waiters, p);
		for (size_t i = 0; i < waiters->items.count; i++) {
			if (p->possible[i] && !has_reason(waiters, p, &waiters->items.items[i])) {
				p->possible[i] = false;
				changed = true;
			}
		}
	}
}

bool final_can_be_last(const struct waiters *waiters, const struct waiter *w)
{
	if (waits_for_no_thread(w))
		return true;
	if (w->joined != ORDER_NONE)
		return joins_too_early(waiters, w);
	for (uint32_t t = 0; w->lock != ORDER_NONE && t < waiters->window->model.thread_count; t++)
		if (t != w->thread && final_can_be_over(waiters, t) &&
		    waiters_chain_blocks(waiters->window, waiters->window->threads.items[t].held,
					 w->lock, w->shared))
			return true;
	return false;
}

static bool is_possible(const struct waiters *waiters, const struct possible_states *p)
{
	for (uint32_t t = 0; t < waiters->window->model.thread_count; t++)
		if (!p->blocked[t] && !final_can_be_over(waiters, t) &&
		    !can_be_uncreated(waiters, t))
			return false;
	for (size_t i = 0; i < waiters->items.count; i++)
		if (p->possible[i] && final_can_be_last(waiters, &waiters->items.items[i]))
			return true;
	return false;
}

bool *final_find_waiters(const struct waiters *waiters, const struct order_clock *clock)
{
	const struct order_model *model = &waiters->window->model;
	struct possible_states p = {
		.possible = mem_zalloc(waiters->items.count + 1, sizeof *p.possible),
		.any = mem_zalloc(model->locks.count + 1, sizeof *p.any),
		.writers = mem_zalloc(model->locks.count + 1, sizeof *p.writers),
		.blocked = mem_zalloc(model->thread_count + 1, sizeof *p.blocked),
	};

	/* A thread that waits for itself is a cycle of one, which deadlock.c finds. */
	for (size_t i = 0; i < waiters->items.count; i++)
		p.possible[i] = !waiters->items.items[i].self;
	do {
		drop_unfounded(waiters, &p);
	} while (is_possible(waiters, &p) && drop_incompatible(waiters, clock, &p));
	if (!is_possible(waiters, &p)) {
		free(p.possible);
		p.possible = NULL;
	}
	free(p.any);
	free(p.writers);
	free(p.blocked);
	return p.possible;
}
