/*
 * Finds the races of an operation in the histories of the objects that it touches, and the initials
 * of a race by the clocks of the nodes from the earlier operation on.
 */
#include "explore/search/reversible_pair.h"

#include "base/sort.h"
#include "event/event.h"
#include "explore/search/op_enabled.h"

void reversible_pair_free(struct reversible_pair_finder *finder)
{
	vec_free(&finder->uses);
	vec_free(&finder->conflicts);
	vec_free(&finder->races);
	vec_free(&finder->covered);
	vec_free(&finder->first);
	vec_free(&finder->seen);
}

/*
 * Adds the earlier nodes that conflict with one use, the last one first. A touch that conflicts
 * with everything happened after all older touches. On memory, where every pair can be reversed,
 * the search stops at such a touch; on a synchronisation object, only if the touch is also in the
 * thread's own past.
 */
static void add_conflicts(struct reversible_pair_finder *finder, const struct dpor_path *path,
			  uint32_t thread, const struct use *use, const dpor_path_clock *before)
{
	const dpor_path_history *history = dpor_path_history_of(path, use->key);
	bool sync = use->key & USE_SYNC;

	for (size_t i = history ? history->count : 0; i-- > 0;) {
		const struct dpor_path_touch *touch = &history->items[i];
		if (!sync && use->mode == USE_SHARED && touch->mode == USE_SHARED) {
			if (touch->alone == DPOR_PATH_NONE)
				return;
			i = touch->alone + 1; /* skip reads: they do not conflict with reads */
			continue;
		}
		const struct dpor_path_node *node = &path->nodes.items[touch->node];
		bool covered = dpor_path_covers(before, node);
		if (!(touch->mask & use->mask) || !use_conflicts(touch->mode, use->mode))
			continue;
		if (node->thread != thread && !covered)
			*vec_push(&finder->conflicts) = touch->node;
		if (touch->mode == USE_ALONE && (use->mask & ~touch->mask) == 0 &&
		    (!sync || covered))
			return;
	}
}

SORT_COMPARISON(by_node_descending, uint32_t, a, b, sort_order(*b, *a))

static void sort_conflicts(struct reversible_pair_finder *finder)
{
	size_t kept = 0;

	vec_sort(&finder->conflicts, by_node_descending);
	for (size_t i = 0; i < finder->conflicts.count; i++)
		if (i == 0 || finder->conflicts.items[i] != finder->conflicts.items[kept - 1])
			finder->conflicts.items[kept++] = finder->conflicts.items[i];
	finder->conflicts.count = kept;
}

void reversible_pair_find(struct reversible_pair_finder *finder, const struct dpor_path *path,
			  const struct control_event *events, size_t count,
			  const dpor_path_clock *before)
{
	uint32_t thread = events[0].thread;

	finder->conflicts.count = finder->races.count = finder->covered.count = 0;
	for (size_t e = 0; e < count; e++) {
		finder->uses.count = 0;
		op_uses_of(&path->blocks, &events[e], false, &finder->uses);
		for (size_t u = 0; u < finder->uses.count; u++)
			add_conflicts(finder, path, thread, &finder->uses.items[u], before);
	}
	sort_conflicts(finder);
	dpor_path_join(&finder->covered, before);
	for (size_t i = 0; i < finder->conflicts.count; i++) {
		uint32_t earlier = finder->conflicts.items[i];
		const struct dpor_path_node *node = &path->nodes.items[earlier];
		if (dpor_path_covers(&finder->covered, node) ||
		    !op_enabled_without(path, &events[0], earlier))
			continue;
		*vec_push(&finder->races) = earlier;
		dpor_path_join(&finder->covered, &node->clock);
	}
}

/* ---- initials -------------------------------------------------------------------------------- */

/* Finds the first node of each thread from `earlier` on. */
static void find_first_nodes(struct reversible_pair_finder *finder, const struct dpor_path *path,
			     uint32_t earlier)
{
	for (size_t i = 0; i < finder->seen.count; i++)
		finder->first.items[finder->seen.items[i]] = DPOR_PATH_NONE;
	finder->seen.count = 0;
	for (uint32_t i = earlier; i < path->depth; i++) {
		uint32_t thread = path->nodes.items[i].thread;
		while (finder->first.count <= thread)
			*vec_push(&finder->first) = DPOR_PATH_NONE;
		if (finder->first.items[thread] != DPOR_PATH_NONE)
			continue;
		finder->first.items[thread] = i;
		*vec_push(&finder->seen) = thread;
	}
}

/* Is nothing in this clock that threads other than `own` did from `earlier` on? */
static bool is_independent(const struct reversible_pair_finder *finder,
			   const struct dpor_path *path, const dpor_path_clock *clock, uint32_t own)
{
	for (size_t i = 0; i < finder->seen.count; i++) {
		uint32_t thread = finder->seen.items[i];
		const struct dpor_path_node *node = &path->nodes.items[finder->first.items[thread]];
		if (thread != own && dpor_path_covers(clock, node))
			return false;
	}
	return true;
}

/* Can the operation itself come first in v? It can if v contains nothing on which it depends. */
static bool operation_is_initial(const struct reversible_pair_finder *finder,
				 const struct dpor_path *path, uint32_t earlier, uint32_t thread,
				 const dpor_path_clock *before)
{
	if (thread < finder->first.count && finder->first.items[thread] != DPOR_PATH_NONE)
		return false;
	if (!is_independent(finder, path, before, thread))
		return false;
	for (size_t i = 0; i < finder->conflicts.count; i++) {
		uint32_t other = finder->conflicts.items[i];
		if (other > earlier &&
		    !dpor_path_covers(&path->nodes.items[other].clock, &path->nodes.items[earlier]))
			return false;
	}
	return true;
}

void reversible_pair_initials(struct reversible_pair_finder *finder, const struct dpor_path *path,
			      uint32_t earlier, uint32_t thread, const dpor_path_clock *before,
			      reversible_pair_nodes *initials)
{
	initials->count = 0;
	find_first_nodes(finder, path, earlier);
	if (operation_is_initial(finder, path, earlier, thread, before))
		*vec_push(initials) = path->depth;
	for (size_t i = 0; i < finder->seen.count; i++) {
		uint32_t first = finder->first.items[finder->seen.items[i]];
		if (first != earlier &&
		    is_independent(finder, path, &path->nodes.items[first].clock,
				   finder->seen.items[i]))
			*vec_push(initials) = first;
	}
}
