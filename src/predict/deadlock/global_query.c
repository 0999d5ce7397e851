/*
 * Builds the query "no thread can go on" for a window, and reads the blocked threads from a
 * solution.
 */
#include "predict/deadlock/global_query.h"

#include "base/mem.h"
#include "predict/deadlock/final_states.h"

#include <assert.h>

uint64_t *global_query_slot(struct global_query *g, enum global_boolean meaning, bool mode,
			    uint32_t thread, uint32_t number, bool *fresh)
{
	uint64_t key = (uint64_t)meaning << 60 | (uint64_t)mode << 59 |
		       (uint64_t)(thread & 0x7ffffff) << 32 | number;

	return map_put(&g->defined, key, fresh);
}

void global_query_imply(struct global_query *g, int32_t a, int32_t b)
{
	int32_t clause[] = { -a, b };

	order_query_clause(&g->query, clause, 2);
}

void global_query_add_clause(struct global_query *g, global_literals *clause)
{
	order_query_clause(&g->query, clause->items, (uint32_t)clause->count);
	vec_free(clause);
}

int32_t global_query_inside(struct global_query *g, uint32_t node)
{
	if (!g->inside[node])
		g->inside[node] = order_query_before(&g->query, node, ORDER_CUT);
	return g->inside[node];
}

static uint32_t node_count(const struct global_query *g, uint32_t t)
{
	const struct order_model *model = &g->window->model;

	return model->thread_start.items[t + 1] - model->thread_start.items[t];
}

static uint32_t last_node(const struct global_query *g, uint32_t t)
{
	const struct order_model *model = &g->window->model;

	return model->thread_nodes.items[model->thread_start.items[t + 1] - 1];
}

/* ---- states of threads ----------------------------------------------------------------------- */

/*
 * Returns the literal "thread t is over": its last node is inside, or, if it has no nodes, the node
 * that creates it. A thread with neither is always over; its literal is a boolean that must hold.
 */
static int32_t over_literal(struct global_query *g, uint32_t t)
{
	uint32_t create = g->window->threads.items[t].create;
	int32_t literal;

	if (node_count(g, t) > 0)
		return global_query_inside(g, last_node(g, t));
	if (create != ORDER_NONE)
		return global_query_inside(g, create);
	literal = order_query_boolean(&g->query);
	order_query_clause(&g->query, &literal, 1);
	return literal;
}

static void add_states(struct global_query *g, uint32_t t, const bool *possible)
{
	const struct waiters *waiters = &g->waiters;
	uint32_t create = g->window->threads.items[t].create;
	global_literals options = { 0 };

	if (final_is_absent(waiters, t))
		return;
	if (final_can_be_over(waiters, t))
		*vec_push(&options) = g->over[t] = over_literal(g, t);
	if (create != ORDER_NONE)
		*vec_push(&options) = -global_query_inside(g, create);
	for (uint32_t i = waiters->thread_start[t]; i < waiters->thread_start[t + 1]; i++) {
		const struct waiter *w = &waiters->items.items[i];

		if (!possible[i])
			continue;
		*vec_push(&options) = g->at[i] = order_query_boolean(&g->query);
		for (uint32_t k = 0; k < w->required_count; k++)
			global_query_imply(
				g, g->at[i],
				global_query_inside(
					g, waiters->required.items[w->required_start + k]));
		if (w->node != ORDER_NONE)
			global_query_imply(g, g->at[i], -global_query_inside(g, w->node));
		if (w->until != ORDER_NONE)
			global_query_imply(g, g->at[i], -global_query_inside(g, w->until));
	}
	global_query_add_clause(g, &options);
}

/* ---- reasons to be blocked ------------------------------------------------------------------- */

/*
 * Returns the literal "thread t has the lock": t is blocked while it holds the lock, or it is over
 * and never released it. Returns 0 if t cannot have the lock.
 */
static int32_t has_lock_literal(struct global_query *g, uint32_t t, uint32_t lock, bool shared)
{
	const struct waiters *waiters = &g->waiters;
	const struct window *window = g->window;
	global_literals clause = { 0 };
	bool fresh;
	uint64_t *slot = global_query_slot(g, GLOBAL_THREAD_HAS_LOCK, shared, t, lock, &fresh);

	if (!fresh)
		return (int32_t)*slot;
	*vec_push(&clause) = 0;
	if (g->over[t] && waiters_chain_blocks(window, window->threads.items[t].held, lock, shared))
		*vec_push(&clause) = g->over[t];
	for (uint32_t i = waiters->thread_start[t]; i < waiters->thread_start[t + 1]; i++)
		if (g->at[i] &&
		    waiters_chain_blocks(window, waiters->items.items[i].held, lock, shared))
			*vec_push(&clause) = g->at[i];
	if (clause.count > 1) {
		*slot = (uint64_t)order_query_boolean(&g->query);
		clause.items[0] = -(int32_t)*slot;
		order_query_clause(&g->query, clause.items, (uint32_t)clause.count);
	}
	vec_free(&clause);
	return (int32_t)*slot;
}

static void add_lock_reasons(struct global_query *g, const struct waiter *w,
			     global_literals *reasons)
{
	for (uint32_t t = 0; t < g->window->model.thread_count; t++) {
		int32_t literal = t == w->thread ? 0 : has_lock_literal(g, t, w->lock, w->shared);

		if (literal)
			*vec_push(reasons) = literal;
	}
}

int32_t global_query_unwoken(struct global_query *g, uint32_t wait)
{
	bool fresh;
	uint64_t *slot = global_query_slot(g, GLOBAL_WAIT_UNWOKEN, false, 0, wait, &fresh);

	if (fresh) {
		*slot = (uint64_t)order_query_boolean(&g->query);
		*vec_push(&g->query.unwoken) = (struct order_unwoken){ (int32_t)*slot, wait };
	}
	return (int32_t)*slot;
}

static int32_t empty_literal(struct global_query *g, uint32_t semaphore)
{
	bool fresh;
	uint64_t *slot = global_query_slot(g, GLOBAL_SEMAPHORE_EMPTY, false, 0, semaphore, &fresh);

	if (fresh) {
		*slot = (uint64_t)order_query_boolean(&g->query);
		*vec_push(&g->query.empty) = (struct order_empty){ (int32_t)*slot, semaphore };
	}
	return (int32_t)*slot;
}

/*
 * Adds reasons to be blocked at a barrier. Returns false if the barrier is not complete in any
 * schedule: then no reason is needed.
 */
static bool add_meeting_reasons(struct global_query *g, uint32_t number, global_literals *reasons)
{
	const struct window_meeting *meeting = &g->window->meetings.items[number];

	for (uint32_t i = 0; i < meeting->arrive_count; i++) {
		uint32_t node = g->window->arrivals.items[meeting->arrive_start + i];

		*vec_push(reasons) = -global_query_inside(g, node);
	}
	return meeting->missing == 0;
}

static void add_once_reasons(struct global_query *g, uint32_t once, global_literals *reasons)
{
	const struct waiters *waiters = &g->waiters;
	uint32_t runner = g->window->model.thread.items[g->window->onces.items[once].end];

	for (uint32_t i = waiters->thread_start[runner]; i < waiters->thread_start[runner + 1]; i++)
		if (g->at[i] &&
		    waiters_runs_once(g->window, once, runner, waiters->items.items[i].position))
			*vec_push(reasons) = g->at[i];
}

static void add_reasons(struct global_query *g, uint32_t item)
{
	const struct waiter *w = &g->waiters.items.items[item];
	global_literals reasons = { 0 };
	bool needed = true;

	*vec_push(&reasons) = -g->at[item];
	if (w->lock != ORDER_NONE)
		add_lock_reasons(g, w, &reasons);
	if (w->waits_for_signal)
		*vec_push(&reasons) = global_query_unwoken(g, w->wait);
	if (w->semaphore != ORDER_NONE)
		*vec_push(&reasons) = empty_literal(g, w->semaphore);
	if (w->meeting != ORDER_NONE)
		needed = add_meeting_reasons(g, w->meeting, &reasons);
	if (w->once != ORDER_NONE)
		add_once_reasons(g, w->once, &reasons);
	if (w->joined != ORDER_NONE) {
		/* A thread that is not over is blocked or not created: either is a reason. */
		needed = g->over[w->joined] != 0;
		if (needed)
			*vec_push(&reasons) = -g->over[w->joined];
	}
	if (needed)
		global_query_add_clause(g, &reasons);
}

/* ---- the whole query ------------------------------------------------------------------------- */

/*
 * Demands that at least one thread is blocked without waiting for a blocked thread
 * (final_can_be_last()). Also demands that some event of the solution is in no earlier window,
 * since that window would have found the same prefix.
 */
static void add_demands(struct global_query *g)
{
	global_literals last = { 0 }, fresh = { 0 };

	for (size_t i = 0; i < g->waiters.items.count; i++) {
		const struct waiter *w = &g->waiters.items.items[i];

		if (g->at[i] && final_can_be_last(&g->waiters, w))
			*vec_push(&last) = g->at[i];
		if (g->at[i] && w->fresh)
			*vec_push(&fresh) = g->at[i];
	}
	for (uint32_t t = 0; t < g->window->model.thread_count; t++)
		if (g->over[t] && node_count(g, t) && last_node(g, t) >= g->window->fresh)
			*vec_push(&fresh) = g->over[t];
	order_query_clause(&g->query, last.items, (uint32_t)last.count);
	if (g->window->fresh > 0)
		order_query_clause(&g->query, fresh.items, (uint32_t)fresh.count);
	vec_free(&last);
	vec_free(&fresh);
}

bool global_query_make(struct global_query *g, const struct window *window,
		       const struct order_clock *clock)
{
	uint32_t threads = window->model.thread_count;
	size_t nodes = window->model.node_count;
	bool *possible;

	*g = (struct global_query){ .window = window };
	waiters_make(&g->waiters, window);
	possible = final_find_waiters(&g->waiters, clock);
	if (!possible)
		return false;
	g->at = mem_zalloc(g->waiters.items.count + 1, sizeof *g->at);
	g->over = mem_zalloc(threads + 1, sizeof *g->over);
	g->blocked = mem_zalloc(threads + 1, sizeof *g->blocked);
	g->inside = mem_zalloc(nodes + 1, sizeof *g->inside);
	for (uint32_t t = 0; t < threads; t++)
		add_states(g, t, possible);
	for (uint32_t i = 0; i < g->waiters.items.count; i++)
		if (g->at[i])
			add_reasons(g, i);
	add_demands(g);
	free(possible);
	return true;
}

void global_query_free(struct global_query *g)
{
	waiters_free(&g->waiters);
	order_query_free(&g->query);
	free(g->at);
	free(g->over);
	free(g->blocked);
	free(g->inside);
	map_free(&g->defined);
}

/*
 * Is the waiter's object in the lifetime that the waiter stands for? That lifetime must have begun,
 * and the next one must not.
 */
static bool is_in_its_lifetime(const struct waiters *waiters, const struct waiter *w,
			       const bool *happened)
{
	if (w->until != ORDER_NONE && happened[w->until])
		return false;
	for (uint32_t i = 0; w->node == ORDER_NONE && i < w->required_count; i++)
		if (!happened[waiters->required.items[w->required_start + i]])
			return false;
	return true;
}

void global_query_read(const struct global_query *g, const uint32_t *inside, uint32_t count,
		       blocked_set *set)
{
	const struct order_model *model = &g->window->model;
	const struct waiters *waiters = &g->waiters;
	uint32_t *reached = mem_zalloc(model->thread_count + 1, sizeof *reached);
	bool *happened = mem_zalloc((size_t)model->node_count + 1, sizeof *happened);

	set->count = 0;
	for (uint32_t i = 0; i < count; i++) {
		reached[model->thread.items[inside[i]]]++;
		happened[inside[i]] = true;
	}
	for (uint32_t t = 0; t < model->thread_count; t++) {
		uint32_t create = g->window->threads.items[t].create;
		bool found = false;

		if (final_is_absent(&g->waiters, t) || (create != ORDER_NONE && !happened[create]))
			continue;
		for (uint32_t i = waiters->thread_start[t]; i < waiters->thread_start[t + 1]; i++) {
			const struct waiter *w = &waiters->items.items[i];

			if (!g->at[i] || w->position != reached[t] ||
			    !is_in_its_lifetime(waiters, w, happened))
				continue;
			*vec_push(set) = i;
			found = true;
		}
		assert(found || (g->over[t] && reached[t] == node_count(g, t)));
	}
	free(reached);
	free(happened);
}
