#include "predict/deadlock/stuck_query.h"

#include "base/mem.h"

typedef VEC(int32_t) literals;

typedef bool (*waiter_test)(const struct stuck_query *stuck, const struct waiter *w,
			    const struct waiter *like);

/* A boolean that holds when thread t is blocked at a waiter that passes the test. */
static int32_t implied(struct stuck_query *stuck, uint64_t *slot, bool fresh, uint32_t t,
		       waiter_test test, const struct waiter *like)
{
	const struct waiters *waiters = &stuck->waiters;

	if (!fresh)
		return (int32_t)*slot;
	*slot = (uint64_t)order_query_boolean(&stuck->query);
	for (uint32_t i = waiters->thread_start[t]; i < waiters->thread_start[t + 1]; i++)
		if (stuck->at[i] && test(stuck, &waiters->items.items[i], like))
			stuck_query_imply(stuck, stuck->at[i], (int32_t)*slot);
	return (int32_t)*slot;
}

static bool wants_the_same(const struct stuck_query *stuck, const struct waiter *w,
			   const struct waiter *like)
{
	(void)stuck;
	return w->lock == like->lock && w->shared == like->shared && w->joined == like->joined &&
	       w->once == like->once;
}

static bool blocks_it(const struct stuck_query *stuck, const struct waiter *w,
		      const struct waiter *like)
{
	return waiters_blocks(&stuck->waiters, like, w);
}

static bool is_at_site(const struct stuck_query *stuck, const struct waiter *w,
		       const struct waiter *like)
{
	(void)stuck;
	return w->site == like->site;
}

/* Follows who waits for whom from one of the set; the cycle it runs into, if any, goes to path. */
static bool find_cycle(const struct stuck_query *stuck, const stuck_set *set, size_t at,
		       uint8_t *state, stuck_set *path)
{
	const struct waiter *items = stuck->waiters.items.items;

	state[at] = 1;
	*vec_push(path) = set->items[at];
	for (size_t next = 0; next < set->count; next++) {
		if (state[next] == 2 || !waiters_blocks(&stuck->waiters, &items[set->items[at]],
							&items[set->items[next]]))
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
		if (find_cycle(stuck, set, next, state, path))
			return true;
	}
	state[at] = 2;
	path->count--;
	return false;
}

bool stuck_query_forbid_cycle(struct stuck_query *stuck, const stuck_set *set)
{
	const struct waiter *items = stuck->waiters.items.items;
	uint8_t *state = mem_zalloc(set->count + 1, sizeof *state);
	stuck_set cycle = { 0 };
	literals clause = { 0 };
	bool found = false, fresh;

	for (size_t i = 0; i < set->count && !found; i++)
		found = !state[i] && find_cycle(stuck, set, i, state, &cycle);
	for (size_t i = 0; found && i < cycle.count; i++) {
		const struct waiter *w = &items[cycle.items[i]];
		const struct waiter *next = &items[cycle.items[(i + 1) % cycle.count]];
		bool lock = w->lock != ORDER_NONE;
		uint32_t thing = lock ? w->lock : w->joined != ORDER_NONE ? w->joined : w->once;
		uint64_t *slot = stuck_query_define(
			stuck, lock ? STUCK_THREAD_WANTS_LOCK : STUCK_THREAD_WANTS_OTHER,
			lock ? w->shared : w->once != ORDER_NONE, w->thread, thing, &fresh);

		*vec_push(&clause) = -implied(stuck, slot, fresh, w->thread, wants_the_same, w);
		if (w->joined != ORDER_NONE)
			continue; /* that the other is blocked is said by what it wants */
		slot = stuck_query_define(stuck,
					  lock ? STUCK_THREAD_MAY_HAVE_LOCK : STUCK_THREAD_MAY_RUN,
					  w->shared, next->thread, thing, &fresh);
		*vec_push(&clause) = -implied(stuck, slot, fresh, next->thread, blocks_it, w);
	}
	if (found)
		order_query_clause(&stuck->query, clause.items, (uint32_t)clause.count);
	free(state);
	vec_free(&cycle);
	vec_free(&clause);
	return found;
}

/* "Thread t is blocked": implies one of its waiters. */
static int32_t blocked(struct stuck_query *stuck, uint32_t t)
{
	const struct waiters *waiters = &stuck->waiters;
	literals clause = { 0 };

	if (!stuck->blocked[t]) {
		stuck->blocked[t] = order_query_boolean(&stuck->query);
		*vec_push(&clause) = -stuck->blocked[t];
		for (uint32_t i = waiters->thread_start[t]; i < waiters->thread_start[t + 1]; i++)
			if (stuck->at[i])
				*vec_push(&clause) = stuck->at[i];
		order_query_clause(&stuck->query, clause.items, (uint32_t)clause.count);
		vec_free(&clause);
	}
	return stuck->blocked[t];
}

void stuck_query_forbid(struct stuck_query *stuck, const stuck_set *set, bool sites)
{
	literals clause = { 0 };
	size_t k = 0;
	bool fresh;

	for (uint32_t t = 0; t < stuck->window->model.thread_count; t++) {
		const struct waiter *w =
			k < set->count ? &stuck->waiters.items.items[set->items[k]] : NULL;

		if (!w || w->thread != t) {
			*vec_push(&clause) = blocked(stuck, t);
		} else if (!sites) {
			*vec_push(&clause) = -stuck->at[set->items[k++]];
		} else {
			uint64_t folded = w->site ^ w->site >> 32;
			uint64_t *slot = stuck_query_define(stuck, STUCK_THREAD_AT_SITE, 0, t,
							    (uint32_t)folded, &fresh);

			*vec_push(&clause) = -implied(stuck, slot, fresh, t, is_at_site, w);
			k++;
		}
	}
	order_query_clause(&stuck->query, clause.items, (uint32_t)clause.count);
	vec_free(&clause);
}
