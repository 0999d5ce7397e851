#include "predict/deadlock/stuck_query.h"

#include "base/mem.h"
#include "predict/deadlock/stuck_options.h"

#include <assert.h>

typedef VEC(int32_t) literals;

uint64_t *stuck_query_define(struct stuck_query *stuck, enum stuck_meaning meaning, bool mode,
			     uint32_t thread, uint32_t number, bool *fresh)
{
	uint64_t key = (uint64_t)meaning << 60 | (uint64_t)mode << 59 |
		       (uint64_t)(thread & 0x7ffffff) << 32 | number;

	return map_put(&stuck->defined, key, fresh);
}

void stuck_query_imply(struct stuck_query *stuck, int32_t a, int32_t b)
{
	int32_t clause[] = { -a, b };

	order_query_clause(&stuck->query, clause, 2);
}

int32_t stuck_query_inside(struct stuck_query *stuck, uint32_t node)
{
	if (!stuck->inside[node])
		stuck->inside[node] = order_query_before(&stuck->query, node, ORDER_CUT);
	return stuck->inside[node];
}

static uint32_t node_count(const struct stuck_query *stuck, uint32_t t)
{
	const struct order_model *model = &stuck->window->model;

	return model->thread_start.items[t + 1] - model->thread_start.items[t];
}

static uint32_t last_node(const struct stuck_query *stuck, uint32_t t)
{
	const struct order_model *model = &stuck->window->model;

	return model->thread_nodes.items[model->thread_start.items[t + 1] - 1];
}

/* ---- options -------------------------------------------------------------------------------- */

/* "Thread t is over": its last node is inside. What is always so is a boolean of its own. */
static int32_t over(struct stuck_query *stuck, uint32_t t)
{
	uint32_t create = stuck->window->threads.items[t].create;
	int32_t literal;

	if (node_count(stuck, t) > 0)
		return stuck_query_inside(stuck, last_node(stuck, t));
	if (create != ORDER_NONE)
		return stuck_query_inside(stuck, create);
	literal = order_query_boolean(&stuck->query);
	order_query_clause(&stuck->query, &literal, 1);
	return literal;
}

static void make_thread(struct stuck_query *stuck, uint32_t t, const bool *alive)
{
	const struct waiters *waiters = &stuck->waiters;
	uint32_t create = stuck->window->threads.items[t].create;
	literals options = { 0 };

	if (stuck_is_absent(waiters, t))
		return;
	if (stuck_can_be_over(waiters, t))
		*vec_push(&options) = stuck->over[t] = over(stuck, t);
	if (create != ORDER_NONE)
		*vec_push(&options) = -stuck_query_inside(stuck, create);
	for (uint32_t i = waiters->thread_start[t]; i < waiters->thread_start[t + 1]; i++) {
		const struct waiter *w = &waiters->items.items[i];

		if (!alive[i])
			continue;
		*vec_push(&options) = stuck->at[i] = order_query_boolean(&stuck->query);
		for (uint32_t k = 0; k < w->need_count; k++)
			stuck_query_imply(
				stuck, stuck->at[i],
				stuck_query_inside(stuck, waiters->needs.items[w->need_start + k]));
		if (w->node != ORDER_NONE)
			stuck_query_imply(stuck, stuck->at[i], -stuck_query_inside(stuck, w->node));
		if (w->until != ORDER_NONE)
			stuck_query_imply(stuck, stuck->at[i],
					  -stuck_query_inside(stuck, w->until));
	}
	order_query_clause(&stuck->query, options.items, (uint32_t)options.count);
	vec_free(&options);
}

/* ---- reasons -------------------------------------------------------------------------------- */

/* "Thread t has the lock": blocked with it, or over and never gave it back. 0: it cannot. */
static int32_t has_lock(struct stuck_query *stuck, uint32_t t, uint32_t lock, bool shared)
{
	const struct waiters *waiters = &stuck->waiters;
	const struct window *window = stuck->window;
	literals clause = { 0 };
	bool fresh;
	uint64_t *slot = stuck_query_define(stuck, STUCK_THREAD_HAS_LOCK, shared, t, lock, &fresh);

	if (!fresh)
		return (int32_t)*slot;
	*vec_push(&clause) = 0;
	if (stuck->over[t] &&
	    waiters_chain_blocks(window, window->threads.items[t].held, lock, shared))
		*vec_push(&clause) = stuck->over[t];
	for (uint32_t i = waiters->thread_start[t]; i < waiters->thread_start[t + 1]; i++)
		if (stuck->at[i] &&
		    waiters_chain_blocks(window, waiters->items.items[i].held, lock, shared))
			*vec_push(&clause) = stuck->at[i];
	if (clause.count > 1) {
		*slot = (uint64_t)order_query_boolean(&stuck->query);
		clause.items[0] = -(int32_t)*slot;
		order_query_clause(&stuck->query, clause.items, (uint32_t)clause.count);
	}
	vec_free(&clause);
	return (int32_t)*slot;
}

static void add_lock_reasons(struct stuck_query *stuck, const struct waiter *w, literals *reasons)
{
	for (uint32_t t = 0; t < stuck->window->model.thread_count; t++) {
		int32_t literal = t == w->thread ? 0 : has_lock(stuck, t, w->lock, w->shared);

		if (literal)
			*vec_push(reasons) = literal;
	}
}

int32_t stuck_query_deaf(struct stuck_query *stuck, uint32_t wait)
{
	bool fresh;
	uint64_t *slot = stuck_query_define(stuck, STUCK_WAIT_DEAF, false, 0, wait, &fresh);

	if (fresh) {
		*slot = (uint64_t)order_query_boolean(&stuck->query);
		*vec_push(&stuck->query.deaf) = (struct order_deaf){ (int32_t)*slot, wait };
	}
	return (int32_t)*slot;
}

static int32_t empty(struct stuck_query *stuck, uint32_t semaphore)
{
	bool fresh;
	uint64_t *slot =
		stuck_query_define(stuck, STUCK_SEMAPHORE_EMPTY, false, 0, semaphore, &fresh);

	if (fresh) {
		*slot = (uint64_t)order_query_boolean(&stuck->query);
		*vec_push(&stuck->query.empty) = (struct order_empty){ (int32_t)*slot, semaphore };
	}
	return (int32_t)*slot;
}

/* False: it is not complete in any schedule, no reason is needed. */
static bool add_meeting_reasons(struct stuck_query *stuck, uint32_t number, literals *reasons)
{
	const struct window_meeting *meeting = &stuck->window->meetings.items[number];

	for (uint32_t i = 0; i < meeting->arrive_count; i++) {
		uint32_t node = stuck->window->arrivals.items[meeting->arrive_start + i];

		*vec_push(reasons) = -stuck_query_inside(stuck, node);
	}
	return meeting->missing == 0;
}

static void add_once_reasons(struct stuck_query *stuck, uint32_t once, literals *reasons)
{
	const struct waiters *waiters = &stuck->waiters;
	uint32_t runner = stuck->window->model.thread.items[stuck->window->onces.items[once].end];

	for (uint32_t i = waiters->thread_start[runner]; i < waiters->thread_start[runner + 1]; i++)
		if (stuck->at[i] && waiters_runs_once(stuck->window, once, runner,
						      waiters->items.items[i].position))
			*vec_push(reasons) = stuck->at[i];
}

static void add_reasons(struct stuck_query *stuck, uint32_t item)
{
	const struct waiter *w = &stuck->waiters.items.items[item];
	literals reasons = { 0 };
	bool needed = true;

	*vec_push(&reasons) = -stuck->at[item];
	if (w->lock != ORDER_NONE)
		add_lock_reasons(stuck, w, &reasons);
	if (w->deaf)
		*vec_push(&reasons) = stuck_query_deaf(stuck, w->wait);
	if (w->semaphore != ORDER_NONE)
		*vec_push(&reasons) = empty(stuck, w->semaphore);
	if (w->meeting != ORDER_NONE)
		needed = add_meeting_reasons(stuck, w->meeting, &reasons);
	if (w->once != ORDER_NONE)
		add_once_reasons(stuck, w->once, &reasons);
	if (w->joined != ORDER_NONE) {
		/* Not over is blocked or not created: an option of that thread in either case. */
		needed = stuck->over[w->joined] != 0;
		if (needed)
			*vec_push(&reasons) = -stuck->over[w->joined];
	}
	if (needed)
		order_query_clause(&stuck->query, reasons.items, (uint32_t)reasons.count);
	vec_free(&reasons);
}

/* ---- the whole ------------------------------------------------------------------------------ */

/*
 * Somebody is blocked; and something in it is in no earlier window, where the same prefix would
 * have been found otherwise.
 */
static void add_demands(struct stuck_query *stuck)
{
	literals last = { 0 }, fresh = { 0 };

	for (size_t i = 0; i < stuck->waiters.items.count; i++) {
		const struct waiter *w = &stuck->waiters.items.items[i];

		if (stuck->at[i] && stuck_is_last(&stuck->waiters, w))
			*vec_push(&last) = stuck->at[i];
		if (stuck->at[i] && w->fresh)
			*vec_push(&fresh) = stuck->at[i];
	}
	for (uint32_t t = 0; t < stuck->window->model.thread_count; t++)
		if (stuck->over[t] && node_count(stuck, t) &&
		    last_node(stuck, t) >= stuck->window->fresh)
			*vec_push(&fresh) = stuck->over[t];
	order_query_clause(&stuck->query, last.items, (uint32_t)last.count);
	if (stuck->window->fresh > 0)
		order_query_clause(&stuck->query, fresh.items, (uint32_t)fresh.count);
	vec_free(&last);
	vec_free(&fresh);
}

bool stuck_query_make(struct stuck_query *stuck, const struct window *window,
		      const struct order_clock *clock)
{
	uint32_t threads = window->model.thread_count;
	size_t nodes = window->model.node_count;
	bool *alive;

	*stuck = (struct stuck_query){ .window = window };
	waiters_make(&stuck->waiters, window);
	alive = stuck_find_options(&stuck->waiters, clock);
	if (!alive)
		return false;
	stuck->at = mem_zalloc(stuck->waiters.items.count + 1, sizeof *stuck->at);
	stuck->over = mem_zalloc(threads + 1, sizeof *stuck->over);
	stuck->blocked = mem_zalloc(threads + 1, sizeof *stuck->blocked);
	stuck->inside = mem_zalloc(nodes + 1, sizeof *stuck->inside);
	for (uint32_t t = 0; t < threads; t++)
		make_thread(stuck, t, alive);
	for (uint32_t i = 0; i < stuck->waiters.items.count; i++)
		if (stuck->at[i])
			add_reasons(stuck, i);
	add_demands(stuck);
	free(alive);
	return true;
}

void stuck_query_free(struct stuck_query *stuck)
{
	waiters_free(&stuck->waiters);
	order_query_free(&stuck->query);
	free(stuck->at);
	free(stuck->over);
	free(stuck->blocked);
	free(stuck->inside);
	map_free(&stuck->defined);
}

/* Has the life of its object that it stands for begun, and not the next? */
static bool is_in_its_life(const struct waiters *waiters, const struct waiter *w,
			   const bool *happened)
{
	if (w->until != ORDER_NONE && happened[w->until])
		return false;
	for (uint32_t i = 0; w->node == ORDER_NONE && i < w->need_count; i++)
		if (!happened[waiters->needs.items[w->need_start + i]])
			return false;
	return true;
}

void stuck_query_read(const struct stuck_query *stuck, const uint32_t *inside, uint32_t count,
		      stuck_set *set)
{
	const struct order_model *model = &stuck->window->model;
	const struct waiters *waiters = &stuck->waiters;
	uint32_t *reached = mem_zalloc(model->thread_count + 1, sizeof *reached);
	bool *happened = mem_zalloc((size_t)model->node_count + 1, sizeof *happened);

	set->count = 0;
	for (uint32_t i = 0; i < count; i++) {
		reached[model->thread.items[inside[i]]]++;
		happened[inside[i]] = true;
	}
	for (uint32_t t = 0; t < model->thread_count; t++) {
		uint32_t create = stuck->window->threads.items[t].create;
		bool found = false;

		if (stuck_is_absent(&stuck->waiters, t) ||
		    (create != ORDER_NONE && !happened[create]))
			continue;
		for (uint32_t i = waiters->thread_start[t]; i < waiters->thread_start[t + 1]; i++) {
			const struct waiter *w = &waiters->items.items[i];

			if (!stuck->at[i] || w->position != reached[t] ||
			    !is_in_its_life(waiters, w, happened))
				continue;
			*vec_push(set) = i;
			found = true;
		}
		assert(found || (stuck->over[t] && reached[t] == node_count(stuck, t)));
	}
	free(reached);
	free(happened);
}
