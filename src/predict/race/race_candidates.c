#include "predict/race/race_candidates.h"

#include "base/mem.h"

#include <assert.h>

/*
 * A cell that is touched thousands of times would have millions of pairs. But for one finding per
 * pair of code sites it is enough that one pair is possible: accesses of one thread at one site
 * under the same locks form a group, and of two groups only some pairs are kept, nearest first,
 * because what lies between the two has to be put elsewhere. What an access of one thread is
 * unordered with is a stretch of the other thread (needs grow along it), so finding the nearest
 * takes a binary search for each access, and the pairs are counted without looking at them.
 */

/* Of the program itself, which a property's look is not; and not one that it asks to be left alone. */
bool race_candidates_is_access(const struct window_node *node)
{
	if (node->flags & EVENT_NO_RACE)
		return false;
	return event_group(node->kind) == EG_ACCESS ||
	       (event_group(node->kind) == EG_ATOMIC && node->kind != EV_FENCE);
}

bool race_candidates_is_atomic(uint8_t kind)
{
	return event_group(kind) == EG_ATOMIC;
}

bool race_candidates_is_write(uint8_t kind)
{
	return kind == EV_WRITE || kind == EV_ATOMIC_WRITE || kind == EV_ATOMIC_UPDATE;
}

static bool is_conflict(uint8_t a, uint8_t b)
{
	return (race_candidates_is_write(a) || race_candidates_is_write(b)) &&
	       !(race_candidates_is_atomic(a) && race_candidates_is_atomic(b));
}

static const struct window_node *node_at(const struct candidates *c, uint32_t node)
{
	return &c->window->nodes.items[node];
}

static uint32_t thread_of(const struct candidates *c, uint32_t node)
{
	return c->model->thread.items[node];
}

/* ---- what is listed once for a window ----------------------------------------------------- */

static void list_cells(struct candidates *c)
{
	size_t cells = c->model->cells.count, count = c->window->nodes.count;
	uint32_t *start = mem_zalloc(cells + 2, sizeof *start);

	for (size_t n = 0; n < count; n++) {
		const struct window_node *node = &c->window->nodes.items[n];

		for (uint32_t i = 0; race_candidates_is_access(node) && i < node->cell_count; i++)
			start[c->window->cells.items[node->cell_start + i] + 2]++;
	}
	for (size_t i = 2; i < cells + 2; i++)
		start[i] += start[i - 1];
	c->cell_nodes = mem_alloc(start[cells + 1] * sizeof *c->cell_nodes + 1);
	for (size_t n = 0; n < count; n++) {
		const struct window_node *node = &c->window->nodes.items[n];

		for (uint32_t i = 0; race_candidates_is_access(node) && i < node->cell_count; i++) {
			uint32_t cell = c->window->cells.items[node->cell_start + i];

			c->cell_nodes[start[cell + 1]++] = (uint32_t)n;
		}
	}
	c->cell_start = start;
}

/* The set of locks of a chain of held ones; equal chains have the same number. */
uint32_t candidates_lockset(struct candidates *c, uint32_t held)
{
	const struct window_held *lock;
	uint32_t rest;
	uint64_t *number;
	bool fresh;

	if (held == ORDER_NONE)
		return ORDER_NONE;
	if (c->locks_of[held] != ORDER_NONE)
		return c->locks_of[held];
	lock = &c->window->held.items[held];
	rest = candidates_lockset(c, lock->outer);
	number = map_put(&c->lockset_numbers,
			 (lock->address * 2 + lock->shared) * 0x9e3779b97f4a7c15u +
				 (rest + 1ull) * 0xc4ceb9fe1a85ec53u,
			 &fresh);
	if (fresh) {
		*number = c->locksets.count;
		*vec_push(&c->locksets) =
			(struct race_candidates_locks){ rest, lock->address, lock->shared };
	}
	c->locks_of[held] = (uint32_t)*number;
	return c->locks_of[held];
}

/* By address: two locks at one address live one after the other, and edges keep them apart. */
bool candidates_exclude(const struct candidates *c, uint32_t a, uint32_t b)
{
	for (uint32_t i = a; i != ORDER_NONE; i = c->locksets.items[i].rest) {
		const struct race_candidates_locks *x = &c->locksets.items[i];

		for (uint32_t j = b; j != ORDER_NONE; j = c->locksets.items[j].rest) {
			const struct race_candidates_locks *y = &c->locksets.items[j];

			if (x->address == y->address && !(x->shared && y->shared))
				return true;
		}
	}
	return false;
}

/* ---- groups ------------------------------------------------------------------------------ */

/* Where the code is; without a site all accesses of one address are one place. */
static uint64_t site_of(const struct window_node *node)
{
	uint64_t place = node->site ? node->site : ~node->address;

	return place * 0xff51afd7ed558ccdu + node->kind;
}

static int compare_places(const void *a, const void *b, void *context)
{
	struct candidates *c = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct window_node *nx = node_at(c, x), *ny = node_at(c, y);
	uint32_t lx = candidates_lockset(c, nx->held), ly = candidates_lockset(c, ny->held);

	if (thread_of(c, x) != thread_of(c, y))
		return thread_of(c, x) < thread_of(c, y) ? -1 : 1;
	if (site_of(nx) != site_of(ny))
		return site_of(nx) < site_of(ny) ? -1 : 1;
	if (lx != ly)
		return lx < ly ? -1 : 1;
	return (x > y) - (x < y);
}

static bool same_place(struct candidates *c, uint32_t x, uint32_t y)
{
	return thread_of(c, x) == thread_of(c, y) &&
	       site_of(node_at(c, x)) == site_of(node_at(c, y)) &&
	       candidates_lockset(c, node_at(c, x)->held) ==
		       candidates_lockset(c, node_at(c, y)->held);
}

static void make_groups(struct candidates *c, uint32_t *nodes, uint32_t count)
{
	qsort_r(nodes, count, sizeof *nodes, compare_places, c);
	c->groups.count = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct window_node *node = node_at(c, nodes[i]);

		if (i && same_place(c, nodes[i - 1], nodes[i])) {
			c->groups.items[c->groups.count - 1].count++;
			continue;
		}
		*vec_push(&c->groups) = (struct race_candidates_group){
			.nodes = &nodes[i],
			.count = 1,
			.thread = thread_of(c, nodes[i]),
			.locks = candidates_lockset(c, node->held),
			.kind = node->kind,
			.site = site_of(node),
		};
	}
}

/* ---- pairs of two groups ------------------------------------------------------------------ */

/* The first of the group's nodes that is not before `a` for sure, and that a must not follow. */
static uint32_t first_unordered(const struct candidates *c,
				const struct race_candidates_group *group, uint32_t a)
{
	uint32_t low = 0, high = group->count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (must_precede_before(&c->needs, c->analysis->clock, group->nodes[middle], a))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first of the group's nodes that `a` must come before. */
static uint32_t end_unordered(const struct candidates *c, const struct race_candidates_group *group,
			      uint32_t a)
{
	uint32_t low = 0, high = group->count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (must_precede_before(&c->needs, c->analysis->clock, a, group->nodes[middle]))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

uint32_t candidates_first_behind(const struct race_candidates_group *group, uint32_t node)
{
	uint32_t low = 0, high = group->count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (group->nodes[middle] < node)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct race_candidates make_pair(uint32_t x, uint32_t y)
{
	return x < y ? (struct race_candidates){ x, y } : (struct race_candidates){ y, x };
}

static int compare_pairs(const void *a, const void *b)
{
	const struct race_candidates *x = a, *y = b;

	if (x->b - x->a != y->b - y->a)
		return x->b - x->a < y->b - y->a ? -1 : 1;
	return (x->a > y->a) - (x->a < y->a);
}

/* Sorts, drops what is there twice (pairs that meet in several cells) and what is too much. */
static void trim_pool(struct race_candidates_pool *pool)
{
	size_t kept = 0;

	if (!pool->pairs.count)
		return;
	qsort(pool->pairs.items, pool->pairs.count, sizeof *pool->pairs.items, compare_pairs);
	for (size_t i = 0; i < pool->pairs.count && kept < SITE_GROUP_MOST; i++) {
		if (!kept || compare_pairs(&pool->pairs.items[kept - 1], &pool->pairs.items[i]))
			pool->pairs.items[kept++] = pool->pairs.items[i];
	}
	pool->pairs.count = kept;
}

static void put_pair(struct race_candidates_pool *pool, uint32_t x, uint32_t y)
{
	if (pool->pairs.count == (size_t)16 * SITE_GROUP_MOST)
		trim_pool(pool);
	*vec_push(&pool->pairs) = make_pair(x, y);
}

/* Up to `most` nodes of group[low … high - 1], those recorded nearest to `a`. */
static void put_nearest(struct race_candidates_pool *pool,
			const struct race_candidates_group *group, uint32_t low, uint32_t high,
			uint32_t a, uint32_t most)
{
	uint32_t above = candidates_first_behind(group, a), below;

	above = above < low ? low : above > high ? high : above;
	below = above;
	for (; most && (below > low || above < high); most--) {
		if (above == high ||
		    (below > low && a - group->nodes[below - 1] < group->nodes[above] - a))
			put_pair(pool, a, group->nodes[--below]);
		else
			put_pair(pool, a, group->nodes[above++]);
	}
}

static struct race_candidates_pool *pool_of(struct candidates *c,
					    const struct race_candidates_group *x,
					    const struct race_candidates_group *y)
{
	uint64_t key = analysis_key(FINDING_RACE, (uint64_t[]){ x->site, y->site }, 2);
	bool fresh;
	uint64_t *number = map_put(&c->pool_numbers, key, &fresh);

	if (fresh) {
		*number = c->pools.count;
		*vec_push(&c->pools) = (struct race_candidates_pool){
			.pool = { .key = key, .found = analysis_has_finding(c->analysis, key) }
		};
	}
	return &c->pools.items[*number];
}

static void pair_groups(struct candidates *c, const struct race_candidates_group *x,
			const struct race_candidates_group *y)
{
	struct race_candidates_pool *pool = NULL;
	uint32_t most;

	if (x->count > y->count) {
		pair_groups(c, y, x);
		return;
	}
	most = SITE_GROUP_MOST / x->count + 2;
	for (uint32_t i = 0; i < x->count; i++) {
		uint32_t a = x->nodes[i];
		uint32_t low = first_unordered(c, y, a), high = end_unordered(c, y, a);

		/* At least one of the two is in no earlier window. */
		if (a < c->window->fresh && candidates_first_behind(y, c->window->fresh) > low)
			low = candidates_first_behind(y, c->window->fresh);
		if (low >= high)
			continue;
		if (!pool)
			pool = pool_of(c, x, y);
		pool->pool.total += high - low;
		if (!pool->pool.found)
			put_nearest(pool, y, low, high, a, most);
	}
}

static bool can_race(const struct candidates *c, const struct race_candidates_group *x,
		     const struct race_candidates_group *y)
{
	return x->thread != y->thread && is_conflict(x->kind, y->kind) &&
	       !candidates_exclude(c, x->locks, y->locks);
}

static bool is_shared(const struct candidates *c, const uint32_t *nodes, uint32_t count)
{
	bool threads = false, writes = false;

	for (uint32_t i = 0; i < count && !(threads && writes); i++) {
		threads |= thread_of(c, nodes[i]) != thread_of(c, nodes[0]);
		writes |= race_candidates_is_write(node_at(c, nodes[i])->kind);
	}
	return threads && writes;
}

static void pair_cell(struct candidates *c, uint32_t *nodes, uint32_t count)
{
	if (!is_shared(c, nodes, count))
		return;
	make_groups(c, nodes, count);
	for (size_t i = 0; i < c->groups.count; i++) {
		for (size_t j = i + 1; j < c->groups.count; j++) {
			if (can_race(c, &c->groups.items[i], &c->groups.items[j]))
				pair_groups(c, &c->groups.items[i], &c->groups.items[j]);
		}
	}
}

void candidates_pool(struct candidates *c)
{
	candidates_need(c);
	for (size_t i = 0; i < c->model->cells.count; i++)
		pair_cell(c, &c->cell_nodes[c->cell_start[i]],
			  c->cell_start[i + 1] - c->cell_start[i]);
	for (size_t i = 0; i < c->pools.count; i++)
		trim_pool(&c->pools.items[i]);
}

/* ---- every pair ---------------------------------------------------------------------------- */

/* Two accesses may meet in several cells: only the first of them counts. */
static bool meet_first_in(const struct candidates *c, uint32_t x, uint32_t y, uint32_t cell)
{
	const struct window_node *nx = node_at(c, x), *ny = node_at(c, y);
	const uint32_t *cells = c->window->cells.items;

	for (uint32_t i = 0; i < nx->cell_count; i++) {
		for (uint32_t j = 0; j < ny->cell_count; j++) {
			if (cells[nx->cell_start + i] == cells[ny->cell_start + j] &&
			    cells[nx->cell_start + i] < cell)
				return false;
		}
	}
	return true;
}

static bool is_candidate(struct candidates *c, uint32_t x, uint32_t y)
{
	const struct order_clock *clock = c->analysis->clock;

	return thread_of(c, x) != thread_of(c, y) && y >= c->window->fresh &&
	       is_conflict(node_at(c, x)->kind, node_at(c, y)->kind) &&
	       !must_precede_before(&c->needs, clock, x, y) &&
	       !must_precede_before(&c->needs, clock, y, x) &&
	       !candidates_exclude(c, candidates_lockset(c, node_at(c, x)->held),
				   candidates_lockset(c, node_at(c, y)->held));
}

void candidates_each(struct candidates *c, void (*take)(void *context, struct race_candidates pair),
		     void *context)
{
	candidates_need(c);
	for (uint32_t cell = 0; cell < c->model->cells.count; cell++) {
		const uint32_t *nodes = &c->cell_nodes[c->cell_start[cell]];
		uint32_t count = c->cell_start[cell + 1] - c->cell_start[cell];

		if (!is_shared(c, nodes, count))
			continue;
		for (uint32_t j = 1; j < count; j++) {
			for (uint32_t i = 0; i < j; i++) {
				if (is_candidate(c, nodes[i], nodes[j]) &&
				    meet_first_in(c, nodes[i], nodes[j], cell))
					take(context,
					     (struct race_candidates){ nodes[i], nodes[j] });
			}
		}
	}
}

void candidates_open(struct candidates *c, const struct analysis *analysis)
{
	*c = (struct candidates){
		.analysis = analysis,
		.window = analysis->window,
		.model = &analysis->window->model,
	};
	c->locks_of = mem_alloc(c->window->held.count * sizeof *c->locks_of + 1);
	for (size_t i = 0; i < c->window->held.count; i++)
		c->locks_of[i] = ORDER_NONE;
	list_cells(c);
}

void candidates_need(struct candidates *c)
{
	if (!c->needs.model)
		must_precede_make(&c->needs, c->window, c->analysis->clock);
}

void candidates_group(struct candidates *c, uint32_t cell)
{
	make_groups(c, &c->cell_nodes[c->cell_start[cell]],
		    c->cell_start[cell + 1] - c->cell_start[cell]);
}

void candidates_close(struct candidates *c)
{
	for (size_t i = 0; i < c->pools.count; i++)
		vec_free(&c->pools.items[i].pairs);
	vec_free(&c->pools);
	vec_free(&c->groups);
	vec_free(&c->locksets);
	map_free(&c->lockset_numbers);
	map_free(&c->pool_numbers);
	must_precede_free(&c->needs);
	free(c->cell_start);
	free(c->cell_nodes);
	free(c->locks_of);
}
