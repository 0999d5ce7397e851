#include "predict/atomicity/atomicity_conflict.h"

#include "base/hash.h"
#include "base/mem.h"

/* So many remote accesses of one thread, place and cell are looked at for one access of a part … */
#define NEAR 3
/* … so many of one cell for tears of several variables, each with so many that follow it. */
#define NEAR_TOUCHES 3
#define FOLLOWERS 6
#define STEPS_MOST 4000000u

static const struct window_node *node_at(const struct tears *t, uint32_t node)
{
	return &t->window->nodes.items[node];
}

static uint32_t thread_of(const struct tears *t, uint32_t node)
{
	return t->model->thread.items[node];
}

/* ---- pools ---------------------------------------------------------------------------------- */

static bool is_observed(const struct tear *tear)
{
	return tear->l1 < tear->r1 && tear->r2 < tear->l2;
}

static uint32_t span_of(const struct tear *tear)
{
	uint32_t low = tear->l1 < tear->r1 ? tear->l1 : tear->r1;
	uint32_t high = tear->l2 > tear->r2 ? tear->l2 : tear->r2;

	return high - low;
}

static bool is_better(const struct tear *a, const struct tear *b)
{
	if (is_observed(a) != is_observed(b))
		return is_observed(a);
	if ((a->r1 == a->r2) != (b->r1 == b->r2))
		return a->r1 == a->r2;
	return span_of(a) < span_of(b);
}

static bool is_same(const struct tear *a, const struct tear *b)
{
	return a->l1 == b->l1 && a->r1 == b->r1 && a->r2 == b->r2 && a->l2 == b->l2;
}

static uint64_t place_of(const struct window_node *node)
{
	return hash_mix(hash_mix(0, node->site ? node->site : ~node->address), node->kind);
}

static struct tear_pool *pool_of(struct tears *t, const struct tear *tear)
{
	uint64_t places[] = { t->parts.items.items[tear->part].place,
			      place_of(node_at(t, tear->r2)) };
	uint64_t key = analysis_key(FINDING_ATOMICITY, places, 2);
	bool fresh;
	uint64_t *number = map_put(&t->pool_numbers, key, &fresh);

	if (fresh) {
		*number = t->pools.count;
		*vec_push(&t->pools) = (struct tear_pool){
			.pool = { .key = key, .found = analysis_has_finding(t->analysis, key) }
		};
	}
	return &t->pools.items[*number];
}

static void keep(struct tears *t, const struct tear *tear)
{
	struct tear_pool *pool = pool_of(t, tear);
	size_t at = pool->kept.count;

	pool->pool.total++;
	if (pool->pool.found ||
	    (at == SITE_GROUP_MOST && !is_better(tear, &pool->kept.items[at - 1])))
		return;
	for (size_t i = 0; i < at; i++) {
		if (is_same(&pool->kept.items[i], tear))
			return;
	}
	if (at < SITE_GROUP_MOST)
		(void)vec_push(&pool->kept);
	else
		at--;
	for (; at && is_better(tear, &pool->kept.items[at - 1]); at--)
		pool->kept.items[at] = pool->kept.items[at - 1];
	pool->kept.items[at] = *tear;
}

/* ---- one cell ------------------------------------------------------------------------------- */

/* Those of the group that can come behind `first` and before `last`: a stretch, as needs grow. */
static void find_range(const struct tears *t, const struct race_candidates_group *group,
		       uint32_t first, uint32_t last, uint32_t *low, uint32_t *high)
{
	uint32_t end = group->count;

	for (*low = 0; *low < end;) {
		uint32_t middle = (*low + end) / 2;

		if (tears_lean(t, first, group->nodes[middle]))
			*low = middle + 1;
		else
			end = middle;
	}
	end = *low;
	for (*high = group->count; end < *high;) {
		uint32_t middle = (end + *high) / 2;

		if (tears_lean(t, group->nodes[middle], last))
			*high = middle;
		else
			end = middle + 1;
	}
}

/* Calls for up to `most` nodes of the group that may come between the two, nearest to the last. */
static void each_near(struct tears *t, const struct race_candidates_group *group, uint32_t first,
		      uint32_t last, uint32_t most,
		      void (*use)(struct tears *t, uint32_t node, const struct tear *context),
		      const struct tear *context)
{
	uint32_t low, high, above, below;

	candidates_need(&t->candidates);
	find_range(t, group, first, last, &low, &high);
	above = candidates_first_behind(group, last);
	above = above < low ? low : above > high ? high : above;
	below = above;
	for (; most && (below > low || above < high); most--) {
		t->steps++;
		if (below > low &&
		    (above == high || last - group->nodes[below - 1] <= group->nodes[above] - last))
			use(t, group->nodes[--below], context);
		else
			use(t, group->nodes[above++], context);
	}
}

static void use_single(struct tears *t, uint32_t node, const struct tear *of)
{
	struct tear tear = { of->l1, node, node, of->l2, of->part };

	if (tears_fresh(t, &tear) && tears_possible(t, &tear) &&
	    tears_remote_counts(t, node, of->r1))
		keep(t, &tear);
}

static void use_touch(struct tears *t, uint32_t node, const struct tear *of)
{
	if (tears_remote_counts(t, node, of->r1))
		*vec_push(&t->touches) =
			(struct tear_touch){ of->part, thread_of(t, node), node, of->r1 };
}

/* The run is a part's accesses of the cell. In the tears that are passed on r1 is the cell. */
static void find_in_run(struct tears *t, const struct part_access *run, size_t count,
			const struct race_candidates_group *group)
{
	const struct part *part = &t->parts.items.items[run->part];
	struct tear of = { .r1 = run->cell, .part = run->part };
	bool touches = false;

	for (size_t k = 0; k < count; k++) {
		size_t first = 0;

		t->steps++;
		if (!tears_kinds_conflict(t, part, run[k].node, group->kind, group->locks))
			continue;
		touches = true;
		while (first < k && (!tears_kinds_conflict(t, part, run[first].node, group->kind,
							   group->locks) ||
				     !tears_fit(t, run[first].node, run[k].node)))
			first++;
		if (first == k)
			continue;
		of.l1 = run[first].node;
		of.l2 = run[k].node;
		each_near(t, group, of.l1, of.l2, NEAR, use_single, &of);
	}
	/* Something else is in the part as well. */
	if (touches && part->count > count && !part->inferred)
		each_near(t, group, part->first, part->last, NEAR_TOUCHES, use_touch, &of);
}

/* Accesses of one cell, those of a part in a row. */
static void find_in_cell(struct tears *t, const struct part_access *accesses, size_t count)
{
	struct candidates *c = &t->candidates;

	candidates_group(c, accesses->cell);
	for (size_t i = 0, end; i < count && t->steps < STEPS_MOST; i = end) {
		const struct part *part = &t->parts.items.items[accesses[i].part];

		for (end = i; end < count && accesses[end].part == accesses[i].part;)
			end++;
		if (!tears_cell_counts(t, part, accesses->cell))
			continue;
		for (size_t g = 0; g < c->groups.count; g++) {
			if (c->groups.items[g].thread != part->thread)
				find_in_run(t, &accesses[i], end - i, &c->groups.items[g]);
		}
	}
}

/* ---- several cells --------------------------------------------------------------------------- */

static int compare_touches(const void *left, const void *right)
{
	const struct tear_touch *a = left, *b = right;

	if (a->part != b->part)
		return a->part < b->part ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return (a->cell > b->cell) - (a->cell < b->cell);
}

/* The first access of the part in the touch's cell that conflicts with it and fits to l2. */
static uint32_t find_first(struct tears *t, const struct tear_touch *touch, uint32_t l2)
{
	const struct part *part = &t->parts.items.items[touch->part];
	const struct window_node *remote = node_at(t, touch->node);
	uint32_t locks = candidates_lockset(&t->candidates, remote->held);
	size_t count;
	const struct part_access *run = parts_find(&t->parts, touch->cell, touch->part, &count);

	for (size_t i = 0; i < count && run[i].node < l2; i++) {
		t->steps++;
		if (tears_kinds_conflict(t, part, run[i].node, remote->kind, locks) &&
		    tears_fit(t, run[i].node, l2))
			return run[i].node;
	}
	return ORDER_NONE;
}

static void pair_touches(struct tears *t, const struct tear_touch *a, const struct tear_touch *b)
{
	const struct part *part = &t->parts.items.items[a->part];
	const struct window_node *remote = node_at(t, b->node);
	uint32_t locks = candidates_lockset(&t->candidates, remote->held);
	size_t count;
	const struct part_access *run = parts_find(&t->parts, b->cell, b->part, &count);

	for (size_t i = 0; i < count; i++) {
		struct tear tear = {
			.r1 = a->node, .r2 = b->node, .l2 = run[i].node, .part = a->part
		};

		if (!tears_kinds_conflict(t, part, tear.l2, remote->kind, locks))
			continue;
		tear.l1 = find_first(t, a, tear.l2);
		if (tear.l1 != ORDER_NONE && tears_fresh(t, &tear) && tears_possible(t, &tear))
			keep(t, &tear);
	}
}

/* One access that touches both cells is r1 and r2. */
static void find_in_touches(struct tears *t)
{
	const struct tear_touch *touches = t->touches.items;
	size_t count = t->touches.count;

	if (count)
		qsort(t->touches.items, count, sizeof *touches, compare_touches);
	for (size_t i = 0; i < count && t->steps < STEPS_MOST; i++) {
		for (size_t k = i + 1;
		     k < count && k <= i + FOLLOWERS && touches[k].part == touches[i].part &&
		     touches[k].thread == touches[i].thread;
		     k++) {
			if (touches[k].cell == touches[i].cell)
				continue;
			pair_touches(t, &touches[i], &touches[k]);
			if (touches[k].node == touches[i].node)
				pair_touches(t, &touches[k], &touches[i]);
		}
	}
}

void tears_pool(struct tears *t)
{
	const struct part_access *all = t->parts.accesses.items;
	size_t count = t->parts.accesses.count;

	for (size_t i = 0, end; i < count; i = end) {
		for (end = i; end < count && all[end].cell == all[i].cell;)
			end++;
		find_in_cell(t, &all[i], end - i);
	}
	find_in_touches(t);
	t->cut = t->steps >= STEPS_MOST;
}

/* ---- every tear ------------------------------------------------------------------------------ */

typedef VEC(uint32_t) node_list;

static int compare_nodes(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return (a > b) - (a < b);
}

static void sort_nodes(node_list *list)
{
	size_t kept = 0;

	if (list->count)
		qsort(list->items, list->count, sizeof *list->items, compare_nodes);
	for (size_t i = 0; i < list->count; i++) {
		if (!i || list->items[i] != list->items[i - 1])
			list->items[kept++] = list->items[i];
	}
	list->count = kept;
}

/* A part's accesses, and those of other threads in its cells. */
static void list_part(const struct tears *t, uint32_t part, node_list *locals, node_list *remotes)
{
	const struct candidates *c = &t->candidates;

	locals->count = remotes->count = 0;
	for (size_t i = 0; i < t->parts.accesses.count; i++) {
		const struct part_access *a = &t->parts.accesses.items[i];

		if (a->part != part)
			continue;
		*vec_push(locals) = a->node;
		for (uint32_t k = c->cell_start[a->cell]; k < c->cell_start[a->cell + 1]; k++) {
			if (thread_of(t, c->cell_nodes[k]) != thread_of(t, a->node))
				*vec_push(remotes) = c->cell_nodes[k];
		}
	}
	sort_nodes(locals);
	sort_nodes(remotes);
}

/* The ends l1 and l2 for r1 and r2. */
static void each_ends(struct tears *t, struct tear *tear, const node_list *locals,
		      void (*take)(void *context, const struct tear *tear), void *context,
		      uint64_t *left)
{
	const struct part *part = &t->parts.items.items[tear->part];

	for (size_t i = 0; i < locals->count; i++) {
		tear->l2 = locals->items[i];
		for (size_t k = 0; k < i && *left; k++) {
			tear->l1 = locals->items[k];
			if (!tears_conflict(t, part, tear->l1, tear->r1) ||
			    !tears_conflict(t, part, tear->l2, tear->r2) ||
			    !tears_fit(t, tear->l1, tear->l2) || !tears_fresh(t, tear) ||
			    !tears_possible(t, tear))
				continue;
			--*left;
			take(context, tear);
		}
	}
}

void tears_each(struct tears *t, void (*take)(void *context, const struct tear *tear),
		void *context, uint64_t most)
{
	node_list locals = { 0 }, remotes = { 0 };

	candidates_need(&t->candidates);
	for (uint32_t p = 0; p < t->parts.items.count && most; p++) {
		list_part(t, p, &locals, &remotes);
		for (size_t i = 0; i < remotes.count; i++) {
			for (size_t k = i; k < remotes.count && most; k++) {
				struct tear tear = { .r1 = remotes.items[i],
						     .r2 = remotes.items[k],
						     .part = p };

				if (thread_of(t, tear.r1) == thread_of(t, tear.r2))
					each_ends(t, &tear, &locals, take, context, &most);
			}
		}
	}
	t->cut = !most;
	vec_free(&locals);
	vec_free(&remotes);
}

/* ---------------------------------------------------------------------------------------------- */

void tears_open(struct tears *t, const struct analysis *analysis, const struct parts_wanted *wanted)
{
	const struct analysis *exact = analysis->before ? analysis->before : analysis;

	*t = (struct tears){
		.analysis = analysis,
		.window = exact->window,
		.model = &exact->window->model,
	};
	parts_make(&t->parts, t->window, wanted);
	candidates_open(&t->candidates, exact);
	if (analysis->before)
		must_precede_make(&t->candidates.needs, analysis->window, analysis->clock);
}

void tears_close(struct tears *t)
{
	for (size_t i = 0; i < t->pools.count; i++)
		vec_free(&t->pools.items[i].kept);
	vec_free(&t->pools);
	vec_free(&t->touches);
	map_free(&t->guarded);
	map_free(&t->pool_numbers);
	parts_free(&t->parts);
	candidates_close(&t->candidates);
}
