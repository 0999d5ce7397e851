/*
 * Clauses that forbid what a solution of the global query contains: a cycle, or a set of blocked
 * threads.
 */
#include "predict/deadlock/global_query.h"

#include "base/mem.h"

typedef bool (*waiter_test)(const struct global_query *g, const struct waiter *w,
			    const struct waiter *like);

/*
 * Returns a boolean that holds whenever thread t is blocked at a waiter that passes the test. It is
 * stored in *slot, and created if `fresh`.
 */
static int32_t implied_boolean(struct global_query *g, uint64_t *slot, bool fresh, uint32_t t,
			       waiter_test test, const struct waiter *like)
{
	const struct waiters *waiters = &g->waiters;

	if (!fresh)
		return (int32_t)*slot;
	*slot = (uint64_t)order_query_boolean(&g->query);
	for (uint32_t i = waiters->thread_start[t]; i < waiters->thread_start[t + 1]; i++)
		if (g->at[i] && test(g, &waiters->items.items[i], like))
			global_query_imply(g, g->at[i], (int32_t)*slot);
	return (int32_t)*slot;
}

static bool wants_the_same(const struct global_query *g, const struct waiter *w,
			   const struct waiter *like)
{
	(void)g;
	return w->lock == like->lock && w->shared == like->shared && w->joined == like->joined &&
	       w->once == like->once;
}

static bool blocks_that(const struct global_query *g, const struct waiter *w,
			const struct waiter *like)
{
	return waiters_blocks(&g->waiters, like, w);
}

static bool is_at_site(const struct global_query *g, const struct waiter *w,
		       const struct waiter *like)
{
	(void)g;
	return w->site == like->site;
}

/*
 * Searches for a cycle of "waits for" that can be reached from one member of the set. If there is
 * one, `path` is set to it.
 */
static bool find_cycle(const struct global_query *g, const blocked_set *set, size_t at,
		       uint8_t *state, blocked_set *path)
{
	const struct waiter *items = g->waiters.items.items;

	state[at] = 1;
	*vec_push(path) = set->items[at];
	for (size_t next = 0; next < set->count; next++) {
		if (state[next] == 2 ||
		    !waiters_blocks(&g->waiters, &items[set->items[at]], &items[set->items[next]]))
			continue;
		if (state[next] == 1) {
			size_t start = 0;

			while (path->items[start] != set->items[next])
				start++;
			path->count -= start;
			for (size_t i = 0; i < path->count; i++)
				path->items[i] = path->items[start + i];
			return true;
		}
		if (find_cycle(g, set, next, state, path))
			return true;
	}
	state[at] = 2;
	path->count--;
	return false;
}

bool global_query_forbid_cycle(struct global_query *g, const blocked_set *set)
{
	const struct waiter *items = g->waiters.items.items;
	uint8_t *state = mem_zalloc(set->count + 1, sizeof *state);
	blocked_set cycle = { 0 };
	global_literals clause = { 0 };
	bool found = false, fresh;

	for (size_t i = 0; i < set->count && !found; i++)
		found = !state[i] && find_cycle(g, set, i, state, &cycle);
	for (size_t i = 0; found && i < cycle.count; i++) {
		const struct waiter *w = &items[cycle.items[i]];
		const struct waiter *next = &items[cycle.items[(i + 1) % cycle.count]];
		bool lock = w->lock != ORDER_NONE;
		uint32_t resource = lock ? w->lock : w->joined != ORDER_NONE ? w->joined : w->once;
		uint64_t *slot = global_query_slot(
			g, lock ? GLOBAL_THREAD_WANTS_LOCK : GLOBAL_THREAD_WANTS_OTHER,
			lock ? w->shared : w->once != ORDER_NONE, w->thread, resource, &fresh);

		*vec_push(&clause) = -implied_boolean(g, slot, fresh, w->thread, wants_the_same, w);
		if (w->joined != ORDER_NONE)
			continue; /* the joined thread's own literal says that it is blocked */
		slot = global_query_slot(g,
					 lock ? GLOBAL_THREAD_MAY_HAVE_LOCK : GLOBAL_THREAD_MAY_RUN,
					 w->shared, next->thread, resource, &fresh);
		*vec_push(&clause) = -implied_boolean(g, slot, fresh, next->thread, blocks_that, w);
	}
	if (found)
		order_query_clause(&g->query, clause.items, (uint32_t)clause.count);
	free(state);
	vec_free(&cycle);
	vec_free(&clause);
	return found;
}

/* Returns the literal "thread t is blocked". It implies that t is blocked at one of its waiters. */
static int32_t blocked_literal(struct global_query *g, uint32_t t)
{
	const struct waiters *waiters = &g->waiters;
	global_literals clause = { 0 };

	if (!g->blocked[t]) {
		g->blocked[t] = order_query_boolean(&g->query);
		*vec_push(&clause) = -g->blocked[t];
		for (uint32_t i = waiters->thread_start[t]; i < waiters->thread_start[t + 1]; i++)
			if (g->at[i])
				*vec_push(&clause) = g->at[i];
		global_query_add_clause(g, &clause);
	}
	return g->blocked[t];
}

/* Returns the first waiter of the same thread at the same site: it names the site in a slot. */
static uint32_t first_at_site(const struct waiters *waiters, const struct waiter *w)
{
	uint32_t i = waiters->thread_start[w->thread];

	while (waiters->items.items[i].site != w->site)
		i++;
	return i;
}

void global_query_forbid(struct global_query *g, const blocked_set *set, bool sites)
{
	global_literals clause = { 0 };
	size_t k = 0;
	bool fresh;

	for (uint32_t t = 0; t < g->window->model.thread_count; t++) {
		const struct waiter *w =
			k < set->count ? &g->waiters.items.items[set->items[k]] : NULL;

		if (!w || w->thread != t) {
			*vec_push(&clause) = blocked_literal(g, t);
		} else if (!sites) {
			*vec_push(&clause) = -g->at[set->items[k++]];
		} else {
			uint64_t *slot = global_query_slot(g, GLOBAL_THREAD_AT_SITE, 0, t,
							   first_at_site(&g->waiters, w), &fresh);

			*vec_push(&clause) = -implied_boolean(g, slot, fresh, t, is_at_site, w);
			k++;
		}
	}
	global_query_add_clause(g, &clause);
}
