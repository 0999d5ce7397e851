/*
 * Lists the pairs of accesses that may race.
 *
 * A cell that is accessed thousands of times has millions of pairs. But one possible pair is enough
 * for the one finding that a pair of code sites gets. So the accesses of one thread at one site
 * under the same locks form a group, and only some pairs of two groups are kept. The nearest pairs
 * come first, because every event recorded between the two accesses has to be ordered elsewhere.
 * The accesses of a group that are unordered with a given access are consecutive, since the set of
 * nodes that must precede a node only grows along a thread. So a binary search for each access
 * finds the nearest ones, and pairs are counted without looking at each.
 */
#include "predict/race/race_candidates.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/sort.h"

#include <assert.h>

/*
 * Is it an access by the program itself? Excludes reads that sooth makes for a property, and
 * accesses that the program asks to ignore.
 */
bool race_is_access(const struct window_node *node)
{
	if (node->flags & EVENT_NO_RACE)
		return false;
	return event_group(node->kind) == EG_ACCESS ||
	       (event_group(node->kind) == EG_ATOMIC && node->kind != EV_FENCE);
}

bool race_is_atomic(uint8_t kind)
{
	return event_group(kind) == EG_ATOMIC;
}

bool race_is_write(uint8_t kind)
{
	return kind == EV_WRITE || kind == EV_ATOMIC_WRITE || kind == EV_ATOMIC_UPDATE;
}

static bool is_conflict(uint8_t a, uint8_t b)
{
	return (race_is_write(a) || race_is_write(b)) && !(race_is_atomic(a) && race_is_atomic(b));
}

static const struct window_node *node_at(const struct race_candidates *c, uint32_t node)
{
	return &c->window->nodes.items[node];
}

static uint32_t thread_of(const struct race_candidates *c, uint32_t node)
{
	return c->model->thread.items[node];
}

/* ---- lists that are made once for a window --------------------------------------------------- */

static void list_accesses_by_cell(struct race_candidates *c)
{
	size_t cells = c->model->cells.count, count = c->window->nodes.count;
	uint32_t *start = mem_zalloc(cells + 2, sizeof *start);

	for (size_t n = 0; n < count; n++) {
		const struct window_node *node = &c->window->nodes.items[n];

		for (uint32_t i = 0; race_is_access(node) && i < node->cell_count; i++)
			start[c->window->cells.items[node->cell_start + i] + 2]++;
	}
	for (size_t i = 2; i < cells + 2; i++)
		start[i] += start[i - 1];
	c->cell_nodes = mem_alloc(start[cells + 1] * sizeof *c->cell_nodes + 1);
	for (size_t n = 0; n < count; n++) {
		const struct window_node *node = &c->window->nodes.items[n];

		for (uint32_t i = 0; race_is_access(node) && i < node->cell_count; i++) {
			uint32_t cell = c->window->cells.items[node->cell_start + i];

			c->cell_nodes[start[cell + 1]++] = (uint32_t)n;
		}
	}
	c->cell_start = start;
}

/* Equal chains of held locks get the same number. */
uint32_t race_candidates_lockset(struct race_candidates *c, uint32_t held)
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
	rest = race_candidates_lockset(c, lock->outer);
	number = map_put(&c->lockset_numbers,
			 hash_mix(hash_mix(0, lock->address * 2 + lock->shared), rest), &fresh);
	if (fresh) {
		*number = c->locksets.count;
		*vec_push(&c->locksets) =
			(struct race_lockset){ rest, lock->address, lock->shared };
	}
	c->locks_of[held] = (uint32_t)*number;
	return c->locks_of[held];
}

/*
 * Locks are compared by address: two locks at one address exist one after the other, and edges keep
 * their users apart.
 */
bool race_candidates_locks_exclude(const struct race_candidates *c, uint32_t a, uint32_t b)
{
	for (uint32_t i = a; i != ORDER_NONE; i = c->locksets.items[i].rest) {
		const struct race_lockset *x = &c->locksets.items[i];

		for (uint32_t j = b; j != ORDER_NONE; j = c->locksets.items[j].rest) {
			const struct race_lockset *y = &c->locksets.items[j];

			if (x->address == y->address && !(x->shared && y->shared))
				return true;
		}
	}
	return false;
}

/* ---- groups of accesses ---------------------------------------------------------------------- */

/*
 * The code site, combined with the kind. Without a site, all accesses to one address count as one
 * site. The order of groups, and with it that of findings, depends on this value.
 */
static uint64_t site_of(const struct window_node *node)
{
	uint64_t site = node->site ? node->site : ~node->address;

	return site * 0xff51afd7ed558ccdu + node->kind;
}

static int compare_access_groups(const void *a, const void *b, void *context)
{
	struct race_candidates *c = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct window_node *nx = node_at(c, x), *ny = node_at(c, y);
	uint32_t lx = race_candidates_lockset(c, nx->held),
		 ly = race_candidates_lockset(c, ny->held);

	return sort_order(thread_of(c, x), thread_of(c, y)) ?: sort_order(site_of(nx), site_of(ny))
		       ?: sort_order(lx, ly)
		       ?: sort_order(x, y);
}

static bool is_same_group(struct race_candidates *c, uint32_t x, uint32_t y)
{
	return thread_of(c, x) == thread_of(c, y) &&
	       site_of(node_at(c, x)) == site_of(node_at(c, y)) &&
	       race_candidates_lockset(c, node_at(c, x)->held) ==
		       race_candidates_lockset(c, node_at(c, y)->held);
}

static void group_accesses(struct race_candidates *c, uint32_t *nodes, uint32_t count)
{
	qsort_r(nodes, count, sizeof *nodes, compare_access_groups, c);
	c->groups.count = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct window_node *node = node_at(c, nodes[i]);

		if (i && is_same_group(c, nodes[i - 1], nodes[i])) {
			c->groups.items[c->groups.count - 1].count++;
			continue;
		}
		*vec_push(&c->groups) = (struct access_group){
			.nodes = &nodes[i],
			.count = 1,
			.thread = thread_of(c, nodes[i]),
			.locks = race_candidates_lockset(c, node->held),
			.kind = node->kind,
			.site = site_of(node),
		};
	}
}

/* ---- pairs of two groups --------------------------------------------------------------------- */

/* Position of the first node in the group that need not be inside for `a` to be next. */
static uint32_t first_not_preceding(const struct race_candidates *c,
				    const struct access_group *group, uint32_t a)
{
	uint32_t i;

	SEARCH_FIRST(
		i, group->count,
		!must_precede_before(&c->must_precede, c->analysis->clock, group->nodes[i], a));
	return i;
}

/* Position of the first node in the group that can be next only if `a` is inside. */
static uint32_t first_preceded(const struct race_candidates *c, const struct access_group *group,
			       uint32_t a)
{
	uint32_t i;

	SEARCH_FIRST(i, group->count,
		     must_precede_before(&c->must_precede, c->analysis->clock, a, group->nodes[i]));
	return i;
}

uint32_t access_group_first_after(const struct access_group *group, uint32_t node)
{
	uint32_t i;

	SEARCH_FIRST(i, group->count, group->nodes[i] >= node);
	return i;
}

static struct race_pair make_pair(const struct race_candidates *c, uint32_t x, uint32_t y)
{
	bool benign = race_pair_is_benign(c->window, x, y);

	return x < y ? (struct race_pair){ x, y, benign } : (struct race_pair){ y, x, benign };
}

static bool is_nearer(const void *a, const void *b)
{
	const struct race_pair *x = a, *y = b;

	if (x->benign != y->benign)
		return y->benign;
	return x->b - x->a != y->b - y->a ? x->b - x->a < y->b - y->a : x->a < y->a;
}

/* The same pair may be found in several cells. */
static bool is_same_pair(const void *a, const void *b)
{
	const struct race_pair *x = a, *y = b;

	return x->a == y->a && x->b == y->b;
}

/* Keeps up to `most` pairs of `a` with group[low … high - 1], those recorded nearest to `a`. */
static void keep_nearest(struct race_candidates *c, struct site_group *sites,
			 const struct access_group *group, uint32_t low, uint32_t high, uint32_t a,
			 uint32_t most)
{
	uint32_t above = access_group_first_after(group, a), below;

	above = above < low ? low : above > high ? high : above;
	below = above;
	for (; most && (below > low || above < high); most--) {
		bool down = above == high ||
			    (below > low && a - group->nodes[below - 1] < group->nodes[above] - a);
		struct race_pair pair = make_pair(c, a, group->nodes[down ? --below : above++]);

		if (pair.benign && c->analysis->options->skip_benign)
			sites->total--;
		else
			site_group_keep(&c->by_sites, sites, &pair);
	}
}

static void pair_groups(struct race_candidates *c, const struct access_group *x,
			const struct access_group *y)
{
	uint64_t key = analysis_key(FINDING_RACE, (uint64_t[]){ x->site, y->site }, 2);
	struct site_group *sites = NULL;
	uint32_t most;

	if (x->count > y->count) {
		pair_groups(c, y, x);
		return;
	}
	most = SITE_GROUP_MOST / x->count + 2;
	for (uint32_t i = 0; i < x->count; i++) {
		uint32_t a = x->nodes[i];
		uint32_t low = first_not_preceding(c, y, a), high = first_preceded(c, y, a);

		/* At least one of the two must not have been in an earlier window. */
		if (a < c->window->fresh && access_group_first_after(y, c->window->fresh) > low)
			low = access_group_first_after(y, c->window->fresh);
		if (low >= high)
			continue;
		if (!sites)
			sites = site_groups_find(&c->by_sites, c->analysis, key);
		sites->total += high - low;
		if (!sites->found)
			keep_nearest(c, sites, y, low, high, a, most);
	}
}

static bool can_race(const struct race_candidates *c, const struct access_group *x,
		     const struct access_group *y)
{
	return x->thread != y->thread && is_conflict(x->kind, y->kind) &&
	       !race_candidates_locks_exclude(c, x->locks, y->locks);
}

static bool is_shared(const struct race_candidates *c, const uint32_t *nodes, uint32_t count)
{
	bool threads = false, writes = false;

	for (uint32_t i = 0; i < count && !(threads && writes); i++) {
		threads |= thread_of(c, nodes[i]) != thread_of(c, nodes[0]);
		writes |= race_is_write(node_at(c, nodes[i])->kind);
	}
	return threads && writes;
}

static void pair_cell(struct race_candidates *c, uint32_t *nodes, uint32_t count)
{
	if (!is_shared(c, nodes, count))
		return;
	group_accesses(c, nodes, count);
	for (size_t i = 0; i < c->groups.count; i++) {
		for (size_t j = i + 1; j < c->groups.count; j++) {
			if (can_race(c, &c->groups.items[i], &c->groups.items[j]))
				pair_groups(c, &c->groups.items[i], &c->groups.items[j]);
		}
	}
}

void race_candidates_collect(struct race_candidates *c)
{
	race_candidates_make_must_precede(c);
	for (size_t i = 0; i < c->model->cells.count; i++)
		pair_cell(c, &c->cell_nodes[c->cell_start[i]],
			  c->cell_start[i + 1] - c->cell_start[i]);
}

/* ---- every pair ------------------------------------------------------------------------------ */

/*
 * Is `cell` the first cell that the two accesses have in common? They count as a pair only there.
 */
static bool meet_first_in(const struct race_candidates *c, uint32_t x, uint32_t y, uint32_t cell)
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

static bool is_candidate(struct race_candidates *c, uint32_t x, uint32_t y)
{
	const struct order_clock *clock = c->analysis->clock;

	return thread_of(c, x) != thread_of(c, y) && y >= c->window->fresh &&
	       is_conflict(node_at(c, x)->kind, node_at(c, y)->kind) &&
	       !must_precede_before(&c->must_precede, clock, x, y) &&
	       !must_precede_before(&c->must_precede, clock, y, x) &&
	       !race_candidates_locks_exclude(c, race_candidates_lockset(c, node_at(c, x)->held),
					      race_candidates_lockset(c, node_at(c, y)->held));
}

void race_candidates_each(struct race_candidates *c,
			  void (*take)(void *context, struct race_pair pair), void *context)
{
	race_candidates_make_must_precede(c);
	for (uint32_t cell = 0; cell < c->model->cells.count; cell++) {
		const uint32_t *nodes = &c->cell_nodes[c->cell_start[cell]];
		uint32_t count = c->cell_start[cell + 1] - c->cell_start[cell];

		if (!is_shared(c, nodes, count))
			continue;
		for (uint32_t j = 1; j < count; j++) {
			for (uint32_t i = 0; i < j; i++) {
				struct race_pair pair;

				if (!is_candidate(c, nodes[i], nodes[j]) ||
				    !meet_first_in(c, nodes[i], nodes[j], cell))
					continue;
				pair = make_pair(c, nodes[i], nodes[j]);
				if (!pair.benign || !c->analysis->options->skip_benign)
					take(context, pair);
			}
		}
	}
}

void race_candidates_open(struct race_candidates *c, const struct analysis *analysis)
{
	*c = (struct race_candidates){
		.analysis = analysis,
		.window = analysis->window,
		.model = &analysis->window->model,
		.by_sites = { .size = sizeof(struct race_pair),
			      .is_better = is_nearer,
			      .is_same = is_same_pair },
	};
	c->locks_of = mem_alloc(c->window->held.count * sizeof *c->locks_of + 1);
	for (size_t i = 0; i < c->window->held.count; i++)
		c->locks_of[i] = ORDER_NONE;
	list_accesses_by_cell(c);
}

void race_candidates_make_must_precede(struct race_candidates *c)
{
	if (!c->must_precede.model)
		must_precede_make(&c->must_precede, c->window, c->analysis->clock);
}

void race_candidates_group_cell(struct race_candidates *c, uint32_t cell)
{
	group_accesses(c, &c->cell_nodes[c->cell_start[cell]],
		       c->cell_start[cell + 1] - c->cell_start[cell]);
}

void race_candidates_close(struct race_candidates *c)
{
	site_groups_free(&c->by_sites);
	vec_free(&c->groups);
	vec_free(&c->locksets);
	map_free(&c->lockset_numbers);
	must_precede_free(&c->must_precede);
	free(c->cell_start);
	free(c->cell_nodes);
	free(c->locks_of);
}
