/*
 * Builds the query "no thread can go on" for a window, and reads the blocked threads from a
 * solution.
 */
#include "predict/deadlock/stuck_query.h"

#include "base/mem.h"
#include "predict/deadlock/stuck_options.h"

#include <assert.h>

uint64_t *global_query_slot(struct global_query *global, enum global_boolean meaning, bool mode,
			    uint32_t thread, uint32_t number, bool *fresh)
{
	uint64_t key = (uint64_t)meaning << 60 | (uint64_t)mode << 59 |
		       (uint64_t)(thread & 0x7ffffff) << 32 | number;

	return map_put(&global->defined, key, fresh);
}

void global_query_imply(struct global_query *global, int32_t a, int32_t b)
{
	int32_t clause[] = { -a, b };

	order_query_clause(&global->query, clause, 2);
}

void global_query_add_clause(struct global_query *global, global_literals *clause)
{
	order_query_clause(&global->query, clause->items, (uint32_t)clause->count);
	vec_free(clause);
}

int32_t global_query_inside(struct global_query *global, uint32_t node)
{
	if (!global->inside[node])
		global->inside[node] = order_query_before(&global->query, node, ORDER_CUT);
	return global->inside[node];
}

static uint32_t node_count(const struct global_query *global, uint32_t t)
{
	const struct order_model *model = &global->window->model;

	return model->thread_start.items[t + 1] - model->thread_start.items[t];
}

static uint32_t last_node(const struct global_query *global, uint32_t t)
{
	const struct order_model *model = &global->window->model;

	return model->thread_nodes.items[model->thread_start.items[t + 1] - 1];
}

/* ---- states of threads --------------------------------------------------------------------- */

/*
 * The literal "thread t is over": its last node is inside. If that always holds, the literal is a
 * boolean of its own.
 */
static int32_t over_literal(struct global_query *global, uint32_t t)
{
	uint32_t create = global->window->threads.items[t].create;
	int32_t literal;

	if (node_count(global, t) > 0)
		return global_query_inside(global, last_node(global, t));
	if (create != ORDER_NONE)
		return global_query_inside(global, create);
	literal = order_query_boolean(&global->query);
	order_query_clause(&global->query, &literal, 1);
	return literal;
}

static void add_states(struct global_query *global, uint32_t t, const bool *possible)
{
	const struct waiters *waiters = &global->waiters;
	uint32_t create = global->window->threads.items[t].create;
	global_literals options = { 0 };

	if (final_is_absent(waiters, t))
		return;
	if (final_can_be_over(waiters, t))
		*vec_push(&options) = global->over[t] = over_literal(global, t);
	if (create != ORDER_NONE)
		*vec_push(&options) = -global_query_inside(global, create);
	for (uint32_t i = waiters->thread_start[t]; i < waiters->thread_start[t + 1]; i++) {
		const struct waiter *w = &waiters->items.items[i];

		if (!possible[i])
			continue;
		*vec_push(&options) = global->at[i] = order_query_boolean(&global->query);
		for (uint32_t k = 0; k < w->required_count; k++)
			global_query_imply(
				global, global->at[i],
				global_query_inside(
					global, waiters->required.items[w->required_start + k]));
		if (w->node != ORDER_NONE)
			global_query_imply(global, global->at[i],
					   -global_query_inside(global, w->node));
		if (w->until != ORDER_NONE)
			global_query_imply(global, global->at[i],
					   -global_query_inside(global, w->until));
	}
	global_query_add_clause(global, &options);
}

/* ---- reasons to be blocked ----------------------------------------------------------------- */

/*
 * The literal "thread t has the lock": it is blocked with it, or it is over and never released it.
 * 0: it cannot have it.
 */
static int32_t has_lock_literal(struct global_query *global, uint32_t t, uint32_t lock, bool shared)
{
	const struct waiters *waiters = &global->waiters;
	const struct window *window = global->window;
	global_literals clause = { 0 };
	bool fresh;
	uint64_t *slot = global_query_slot(global, GLOBAL_THREAD_HAS_LOCK, shared, t, lock, &fresh);

	if (!fresh)
		return (int32_t)*slot;
	*vec_push(&clause) = 0;
	if (global->over[t] &&
	    waiters_chain_blocks(window, window->threads.items[t].held, lock, shared))
		*vec_push(&clause) = global->over[t];
	for (uint32_t i = waiters->thread_start[t]; i < waiters->thread_start[t + 1]; i++)
		if (global->at[i] &&
		    waiters_chain_blocks(window, waiters->items.items[i].held, lock, shared))
			*vec_push(&clause) = global->at[i];
	if (clause.count > 1) {
		*slot = (uint64_t)order_query_boolean(&global->query);
		clause.items[0] = -(int32_t)*slot;
		order_query_clause(&global->query, clause.items, (uint32_t)clause.count);
	}
	vec_free(&clause);
	return (int32_t)*slot;
}

static void add_lock_reasons(struct global_query *global, const struct waiter *w,
			     global_literals *reasons)
{
	for (uint32_t t = 0; t < global->window->model.thread_count; t++) {
		int32_t literal =
			t == w->thread ? 0 : has_lock_literal(global, t, w->lock, w->shared);

		if (literal)
			*vec_push(reasons) = literal;
	}
}

int32_t global_query_unwoken(struct global_query *global, uint32_t wait)
{
	bool fresh;
	uint64_t *slot = global_query_slot(global, GLOBAL_WAIT_UNWOKEN, false, 0, wait, &fresh);

	if (fresh) {
		*slot = (uint64_t)order_query_boolean(&global->query);
		*vec_push(&global->query.deaf) = (struct order_deaf){ (int32_t)*slot, wait };
	}
	return (int32_t)*slot;
}

static int32_t empty_literal(struct global_query *global, uint32_t semaphore)
{
	bool fresh;
	uint64_t *slot =
		global_query_slot(global, GLOBAL_SEMAPHORE_EMPTY, false, 0, semaphore, &fresh);

	if (fresh) {
		*slot = (uint64_t)order_query_boolean(&global->query);
		*vec_push(&global->query.empty) = (struct order_empty){ (int32_t)*slot, semaphore };
	}
	return (int32_t)*slot;
}

/* Returns false if the barrier is not complete in any schedule: then no reason is needed. */
static bool add_meeting_reasons(struct global_query *global, uint32_t number,
				global_literals *reasons)
{
	const struct window_meeting *meeting = &global->window->meetings.items[number];

	for (uint32_t i = 0; i < meeting->arrive_count; i++) {
		uint32_t node = global->window->arrivals.items[meeting->arrive_start + i];

		*vec_push(reasons) = -global_query_inside(global, node);
	}
	return meeting->missing == 0;
}

static void add_once_reasons(struct global_query *global, uint32_t once, global_literals *reasons)
{
	const struct waiters *waiters = &global->waiters;
	uint32_t runner = global->window->model.thread.items[global->window->onces.items[once].end];

	for (uint32_t i = waiters->thread_start[runner]; i < waiters->thread_start[runner + 1]; i++)
		if (global->at[i] && waiters_runs_once(global->window, once, runner,
						       waiters->items.items[i].position))
			*vec_push(reasons) = global->at[i];
}

static void add_reasons(struct global_query *global, uint32_t item)
{
	const struct waiter *w = &global->waiters.items.items[item];
	global_literals reasons = { 0 };
	bool needed = true;

	*vec_push(&reasons) = -global->at[item];
	if (w->lock != ORDER_NONE)
		add_lock_reasons(global, w, &reasons);
	if (w->waits_for_signal)
		*vec_push(&reasons) = global_query_unwoken(global, w->wait);
	if (w->semaphore != ORDER_NONE)
		*vec_push(&reasons) = empty_literal(global, w->semaphore);
	if (w->meeting != ORDER_NONE)
		needed = add_meeting_reasons(global, w->meeting, &reasons);
	if (w->once != ORDER_NONE)
		add_once_reasons(global, w->once, &reasons);
	if (w->joined != ORDER_NONE) {
		/*
		 * A thread that is not over is blocked or not created: either is a state of that
		 * thread.
		 */
		needed = global->over[w->joined] != 0;
		if (needed)
			*vec_push(&reasons) = -global->over[w->joined];
	}
	if (needed)
		global_query_add_clause(global, &reasons);
}

/* ---- the whole query ----------------------------------------------------------------------- */

/*
 * Demands that a thread is blocked, and that part of the set is in no earlier window: otherwise
 * that window would have found the same prefix.
 */
static void add_demands(struct global_query *global)
{
	global_literals last = { 0 }, fresh = { 0 };

	for (size_t i = 0; i < global->waiters.items.count; i++) {
		const struct waiter *w = &global->waiters.items.items[i];

		if (global->at[i] && final_can_be_last(&global->waiters, w))
			*vec_push(&last) = global->at[i];
		if (global->at[i] && w->fresh)
			*vec_push(&fresh) = global->at[i];
	}
	for (uint32_t t = 0; t < global->window->model.thread_count; t++)
		if (global->over[t] && node_count(global, t) &&
		    last_node(global, t) >= global->window->fresh)
			*vec_push(&fresh) = global->over[t];
	order_query_clause(&global->query, last.items, (uint32_t)last.count);
	if (global->window->fresh > 0)
		order_query_clause(&global->query, fresh.items, (uint32_t)fresh.count);
	vec_free(&last);
	vec_free(&fresh);
}

bool global_query_make(struct global_query *global, const struct window *window,
		       const struct order_clock *clock)
{
	uint32_t threads = window->model.thread_count;
	size_t nodes = window->model.node_count;
	bool *possible;

	*global = (struct global_query){ .window = window };
	waiters_make(&global->waiters, window);
	possible = final_find_waiters(&global->waiters, clock);
	if (!possible)
		return false;
	global->at = mem_zalloc(global->waiters.items.count + 1, sizeof *global->at);
	global->over = mem_zalloc(threads + 1, sizeof *global->over);
	global->blocked = mem_zalloc(threads + 1, sizeof *global->blocked);
	global->inside = mem_zalloc(nodes + 1, sizeof *global->inside);
	for (uint32_t t = 0; t < threads; t++)
		add_states(global, t, possible);
	for (uint32_t i = 0; i < global->waiters.items.count; i++)
		if (global->at[i])
			add_reasons(global, i);
	add_demands(global);
	free(possible);
	return true;
}

void global_query_free(struct global_query *global)
{
	waiters_free(&global->waiters);
	order_query_free(&global->query);
	free(global->at);
	free(global->over);
	free(global->blocked);
	free(global->inside);
	map_free(&global->defined);
}

/*
 * Has the lifetime of its object for which the waiter stands begun, and has the next one not begun?
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

void global_query_read(const struct global_query *global, const uint32_t *inside, uint32_t count,
		       blocked_set *set)
{
	const struct order_model *model = &global->window->model;
	const struct waiters *waiters = &global->waiters;
	uint32_t *reached = mem_zalloc(model->thread_count + 1, sizeof *reached);
	bool *happened = mem_zalloc((size_t)model->node_count + 1, sizeof *happened);

	set->count = 0;
	for (uint32_t i = 0; i < count; i++) {
		reached[model->thread.items[inside[i]]]++;
		happened[inside[i]] = true;
	}
	for (uint32_t t = 0; t < model->thread_count; t++) {
		uint32_t create = global->window->threads.items[t].create;
		bool found = false;

		if (final_is_absent(&global->waiters, t) ||
		    (create != ORDER_NONE && !happened[create]))
			continue;
		for (uint32_t i = waiters->thread_start[t]; i < waiters->thread_start[t + 1]; i++) {
			const struct waiter *w = &waiters->items.items[i];

			if (!global->at[i] || w->position != reached[t] ||
			    !is_in_its_lifetime(waiters, w, happened))
				continue;
			*vec_push(set) = i;
			found = true;
		}
		assert(found || (global->over[t] && reached[t] == node_count(global, t)));
	}
	free(reached);
	free(happened);
}
