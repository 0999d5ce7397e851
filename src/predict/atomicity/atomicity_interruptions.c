/*
 * Lists the interruptions of a window's fragments. Interruptions with one variable are found cell
 * by cell. For interruptions with several variables, the remote accesses near each fragment are
 * collected first (*touches*); then pairs of touches are combined.
 */
#include "predict/atomicity/atomicity_conflict.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/sort.h"

/*
 * For one access of a fragment: how many remote accesses of each group (same thread, site and
 * locks) are examined.
 */
#define NEAR 3
/*
 * For interruptions with several variables: how many remote accesses of each group become touches
 * of a fragment, and with how many of the touches after it each touch is combined.
 */
#define NEAR_TOUCHES 3
#define FOLLOWERS 6
#define STEPS_MOST 4000000u

/* ---- candidates with the same sites ---------------------------------------------------------- */

static bool is_observed(const struct interruption *candidate)
{
	return candidate->l1 < candidate->r1 && candidate->r2 < candidate->l2;
}

static uint32_t span_of(const struct interruption *candidate)
{
	uint32_t low = candidate->l1 < candidate->r1 ? candidate->l1 : candidate->r1;
	uint32_t high = candidate->l2 > candidate->r2 ? candidate->l2 : candidate->r2;

	return high - low;
}

static bool is_better(const void *left, const void *right)
{
	const struct interruption *a = left, *b = right;

	if (is_observed(a) != is_observed(b))
		return is_observed(a);
	if ((a->r1 == a->r2) != (b->r1 == b->r2))
		return a->r1 == a->r2;
	return span_of(a) < span_of(b);
}

static bool is_same(const void *left, const void *right)
{
	const struct interruption *a = left, *b = right;

	return a->l1 == b->l1 && a->r1 == b->r1 && a->r2 == b->r2 && a->l2 == b->l2;
}

static void keep_interruption(struct interruptions *t, const struct interruption *i)
{
	uint64_t sites[] = { t->fragments.items.items[i->fragment].site_key,
			     analysis_site(interruptions_node(t, i->r2)) };
	struct site_group *group = site_groups_find(&t->by_sites, t->analysis,
						    analysis_key(FINDING_ATOMICITY, sites, 2));

	group->total++;
	if (!group->found)
		site_group_keep(&t->by_sites, group, i);
}

/* ---- one cell -------------------------------------------------------------------------------- */

/*
 * Sets [*low, *high) to the range of the group's nodes that can come after `first` and before
 * `last`. The range has no gaps: along a thread, the set of nodes that must come before a node only
 * grows.
 */
static void find_range(const struct interruptions *t, const struct access_group *group,
		       uint32_t first, uint32_t last, uint32_t *low, uint32_t *high)
{
	const struct must_precede *required = &t->candidates.must_precede;
	uint32_t i;

	SEARCH_FIRST(i, group->count, !must_precede_inside(required, group->nodes[i], first));
	*low = i;
	SEARCH_FIRST(i, group->count,
		     i >= *low && must_precede_inside(required, last, group->nodes[i]));
	*high = i;
}

/*
 * Calls `use` for up to `most` nodes of the group that may come between `first` and `last`, those
 * recorded nearest to `last` first.
 */
static void each_near_node(struct interruptions *t, const struct access_group *group,
			   uint32_t first, uint32_t last, uint32_t most,
			   void (*use)(struct interruptions *t, uint32_t node,
				       const struct interruption *context),
			   const struct interruption *context)
{
	uint32_t low, high, above, below;

	race_candidates_make_must_precede(&t->candidates);
	find_range(t, group, first, last, &low, &high);
	above = access_group_first_after(group, last);
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

static void keep_if_possible(struct interruptions *t, uint32_t node, const struct interruption *of)
{
	struct interruption candidate = { of->l1, node, node, of->l2, of->fragment };

	if (interruptions_fresh(t, &candidate) && interruptions_possible(t, &candidate) &&
	    interruptions_remote_counts(t, node, of->r1))
		keep_interruption(t, &candidate);
}

static void add_touch(struct interruptions *t, uint32_t node, const struct interruption *of)
{
	if (interruptions_remote_counts(t, node, of->r1))
		*vec_push(&t->touches) =
			(struct remote_touch){ of->fragment, interruptions_thread(t, node), node,
					       of->r1 };
}

/*
 * Finds the interruptions of one fragment by one group of remote accesses to a cell. `run` is the
 * fragment's accesses to the cell. The callbacks get the cell's number in the field r1.
 */
static void find_in_fragment(struct interruptions *t, const struct fragment_access *run,
			     size_t count, const struct access_group *group)
{
	const struct region_fragment *fragment = &t->fragments.items.items[run->fragment];
	struct interruption of = { .r1 = run->cell, .fragment = run->fragment };
	bool touches = false;

	for (size_t k = 0; k < count; k++) {
		size_t first = 0;

		t->steps++;
		if (!interruptions_kinds_conflict(t, fragment, run[k].node, group->kind,
						  group->locks))
			continue;
		touches = true;
		while (first < k && (!interruptions_kinds_conflict(t, fragment, run[first].node,
								   group->kind, group->locks) ||
				     !interruptions_can_be_ends(t, run[first].node, run[k].node)))
			first++;
		if (first == k)
			continue;
		of.l1 = run[first].node;
		of.l2 = run[k].node;
		each_near_node(t, group, of.l1, of.l2, NEAR, keep_if_possible, &of);
	}
	/* The fragment has other cells as well: collect touches. */
	if (touches && fragment->count > count && !fragment->inferred)
		each_near_node(t, group, fragment->first, fragment->last, NEAR_TOUCHES, add_touch,
			       &of);
}

/* `accesses` are all accesses of fragments to one cell, sorted by fragment. */
static void find_in_cell(struct interruptions *t, const struct fragment_access *accesses,
			 size_t count)
{
	struct race_candidates *c = &t->candidates;

	race_candidates_group_cell(c, accesses->cell);
	for (size_t i = 0, end; i < count && t->steps < STEPS_MOST; i = end) {
		const struct region_fragment *fragment =
			&t->fragments.items.items[accesses[i].fragment];

		for (end = i; end < count && accesses[end].fragment == accesses[i].fragment;)
			end++;
		if (!interruptions_cell_counts(t, fragment, accesses->cell))
			continue;
		for (size_t g = 0; g < c->groups.count; g++) {
			if (c->groups.items[g].thread != fragment->thread)
				find_in_fragment(t, &accesses[i], end - i, &c->groups.items[g]);
		}
	}
}

/* ---- several cells --------------------------------------------------------------------------- */

SORT_COMPARISON(by_fragment_and_thread, struct remote_touch, a, b,
		sort_order(a->fragment, b->fragment) ?: sort_order(a->thread, b->thread)
			?: sort_order(a->node, b->node) ?: sort_order(a->cell, b->cell))

/*
 * Returns the fragment's first access to the touch's cell that conflicts with the touch and can be
 * l1 for this l2, or ORDER_NONE.
 */
static uint32_t find_first_l1(struct interruptions *t, const struct remote_touch *touch,
			      uint32_t l2)
{
	const struct region_fragment *fragment = &t->fragments.items.items[touch->fragment];
	const struct window_node *remote = interruptions_node(t, touch->node);
	uint32_t locks = race_candidates_lockset(&t->candidates, remote->held);
	size_t count;
	const struct fragment_access *run =
		fragments_find(&t->fragments, touch->cell, touch->fragment, &count);

	for (size_t i = 0; i < count && run[i].node < l2; i++) {
		t->steps++;
		if (interruptions_kinds_conflict(t, fragment, run[i].node, remote->kind, locks) &&
		    interruptions_can_be_ends(t, run[i].node, l2))
			return run[i].node;
	}
	return ORDER_NONE;
}

static void pair_touches(struct interruptions *t, const struct remote_touch *a,
			 const struct remote_touch *b)
{
	const struct region_fragment *fragment = &t->fragments.items.items[a->fragment];
	const struct window_node *remote = interruptions_node(t, b->node);
	uint32_t locks = race_candidates_lockset(&t->candidates, remote->held);
	size_t count;
	const struct fragment_access *run =
		fragments_find(&t->fragments, b->cell, b->fragment, &count);

	for (size_t i = 0; i < count; i++) {
		struct interruption candidate = {
			.r1 = a->node, .r2 = b->node, .l2 = run[i].node, .fragment = a->fragment
		};

		if (!interruptions_kinds_conflict(t, fragment, candidate.l2, remote->kind, locks))
			continue;
		candidate.l1 = find_first_l1(t, a, candidate.l2);
		if (candidate.l1 != ORDER_NONE && interruptions_fresh(t, &candidate) &&
		    interruptions_possible(t, &candidate))
			keep_interruption(t, &candidate);
	}
}

/*
 * Combines touches of two cells as r1 and r2. If one access touches both cells, it is r1 and r2,
 * and the cells are tried in both orders.
 */
static void find_in_touches(struct interruptions *t)
{
	const struct remote_touch *touches = t->touches.items;
	size_t count = t->touches.count;

	vec_sort(&t->touches, by_fragment_and_thread);
	for (size_t i = 0; i < count && t->steps < STEPS_MOST; i++) {
		for (size_t k = i + 1; k < count && k <= i + FOLLOWERS &&
				       touches[k].fragment == touches[i].fragment &&
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

void interruptions_collect(struct interruptions *t)
{
	const struct fragment_access *all = t->fragments.accesses.items;
	size_t count = t->fragments.accesses.count;

	for (size_t i = 0, end; i < count; i = end) {
		for (end = i; end < count && all[end].cell == all[i].cell;)
			end++;
		find_in_cell(t, &all[i], end - i);
	}
	find_in_touches(t);
	t->cut = t->steps >= STEPS_MOST;
}

/* ---- every interruption ---------------------------------------------------------------------- */

typedef VEC(uint32_t) node_list;

static void sort_nodes(node_list *list)
{
	size_t kept = 0;

	vec_sort(list, sort_u32);
	for (size_t i = 0; i < list->count; i++) {
		if (!i || list->items[i] != list->items[i - 1])
			list->items[kept++] = list->items[i];
	}
	list->count = kept;
}

/* Lists a fragment's accesses, and the accesses of other threads to its cells. */
static void list_accesses(const struct interruptions *t, uint32_t fragment, node_list *locals,
			  node_list *remotes)
{
	const struct race_candidates *c = &t->candidates;

	locals->count = remotes->count = 0;
	for (size_t i = 0; i < t->fragments.accesses.count; i++) {
		const struct fragment_access *a = &t->fragments.accesses.items[i];

		if (a->fragment != fragment)
			continue;
		*vec_push(locals) = a->node;
		for (uint32_t k = c->cell_start[a->cell]; k < c->cell_start[a->cell + 1]; k++) {
			if (interruptions_thread(t, c->cell_nodes[k]) !=
			    interruptions_thread(t, a->node))
				*vec_push(remotes) = c->cell_nodes[k];
		}
	}
	sort_nodes(locals);
	sort_nodes(remotes);
}

/* Calls `take` for each l1 and l2 that fit r1 and r2; after *left calls, sets t->cut instead. */
static void each_pair_of_ends(struct interruptions *t, struct interruption *candidate,
			      const node_list *locals,
			      void (*take)(void *context, const struct interruption *candidate),
			      void *context, uint64_t *left)
{
	const struct region_fragment *fragment = &t->fragments.items.items[candidate->fragment];

	for (size_t i = 0; i < locals->count; i++) {
		candidate->l2 = locals->items[i];
		for (size_t k = 0; k < i && !t->cut; k++) {
			candidate->l1 = locals->items[k];
			if (!interruptions_conflict(t, fragment, candidate->l1, candidate->r1) ||
			    !interruptions_conflict(t, fragment, candidate->l2, candidate->r2) ||
			    !interruptions_can_be_ends(t, candidate->l1, candidate->l2) ||
			    !interruptions_fresh(t, candidate) ||
			    !interruptions_possible(t, candidate))
				continue;
			t->cut = !*left;
			if (t->cut)
				break;
			--*left;
			take(context, candidate);
		}
	}
}

void interruptions_each(struct interruptions *t,
			void (*take)(void *context, const struct interruption *candidate),
			void *context, uint64_t most)
{
	node_list locals = { 0 }, remotes = { 0 };

	t->cut = false;
	race_candidates_make_must_precede(&t->candidates);
	for (uint32_t p = 0; p < t->fragments.items.count && !t->cut; p++) {
		list_accesses(t, p, &locals, &remotes);
		for (size_t i = 0; i < remotes.count; i++) {
			for (size_t k = i; k < remotes.count && !t->cut; k++) {
				struct interruption candidate = { .r1 = remotes.items[i],
								  .r2 = remotes.items[k],
								  .fragment = p };

				if (interruptions_thread(t, candidate.r1) ==
				    interruptions_thread(t, candidate.r2))
					each_pair_of_ends(t, &candidate, &locals, take, context,
							  &most);
			}
		}
	}
	vec_free(&locals);
	vec_free(&remotes);
}

/* ---- the module ------------------------------------------------------------------------------ */

void interruptions_open(struct interruptions *t, const struct analysis *analysis,
			const struct fragments_wanted *wanted)
{
	const struct analysis *exact = analysis->before ? analysis->before : analysis;

	*t = (struct interruptions){
		.analysis = analysis,
		.window = exact->window,
		.model = &exact->window->model,
		.by_sites = { .size = sizeof(struct interruption),
			      .is_better = is_better,
			      .is_same = is_same },
	};
	fragments_make(&t->fragments, t->window, wanted);
	race_candidates_open(&t->candidates, exact);
	if (analysis->before)
		must_precede_make(&t->candidates.must_precede, analysis->window, analysis->clock);
}

void interruptions_close(struct interruptions *t)
{
	site_groups_free(&t->by_sites);
	vec_free(&t->touches);
	map_free(&t->guarded);
	fragments_free(&t->fragments);
	race_candidates_close(&t->candidates);
}
