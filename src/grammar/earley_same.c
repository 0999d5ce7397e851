/*
 * Tests the equivalence of return points by its definition: compares the items that result from a
 * return to a set with those that result from a return to a few other sets.
 */
#include "grammar/earley_same.h"

#include <string.h>

/* limits: how many other sets are tried, how many items are compared; more is not worth the time */
enum { TRIED = 4, COMPARED = 32 };

struct earley_same_comparison {
	struct earley_build *build;
	struct earley_set *set, *other;
	/* `goals`: assumed to be equivalent; `done`: those of them that were compared */
	uint64_t *goals, *done;
};

static uint32_t bit_of(const struct earley_build *build, uint32_t goal)
{
	return goal - build->tables->grammar->terminal_count;
}

/*
 * Replaces returns to `set` by returns to `other`, removes duplicates and returns the new count.
 * The goals of the replaced returns must be equivalent as well, so they are added to `goals`.
 * Returns SIZE_MAX if `other` does not predict one of these goals.
 */
static size_t redirect_items(struct earley_same_comparison *comparison, struct earley_item *items,
			     size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (items[i].back == comparison->set) {
			uint32_t bit = bit_of(comparison->build, items[i].goal);
			if (!grammar_set_has(comparison->other->predicted, bit))
				return SIZE_MAX;
			grammar_set_add(comparison->goals, bit);
			items[i].back = comparison->other;
			earley_find_return(comparison->build, &items[i].back, &items[i].goal);
		}
	earley_sort_items(items, count);
	size_t kept = 0;
	for (size_t i = 0; i < count; i++)
		if (!kept || memcmp(&items[kept - 1], &items[i], sizeof *items))
			items[kept++] = items[i];
	return kept;
}

static bool goal_is_same(struct earley_same_comparison *comparison, uint32_t goal)
{
	struct earley_build *build = comparison->build;
	struct earley_item items[COMPARED];
	earley_build_return(build, comparison->set, goal);
	size_t count = build->items.count;
	bool complete = build->complete;
	if (count > COMPARED)
		return false;
	for (size_t i = 0; i < count; i++)
		items[i] = build->items.items[i];
	count = redirect_items(comparison, items, count);
	if (count == SIZE_MAX)
		return false;
	earley_build_return(build, comparison->other, goal);
	return complete == build->complete && count == build->items.count &&
	       !memcmp(items, build->items.items, count * sizeof *items);
}

static bool all_goals_are_same(struct earley_same_comparison *comparison)
{
	const struct earley_tables *tables = comparison->build->tables;
	for (bool more = true; more;) {
		more = false;
		for (uint32_t bit = 0; bit < tables->words * 64; bit++) {
			if (!grammar_set_has(comparison->goals, bit) ||
			    grammar_set_has(comparison->done, bit))
				continue;
			grammar_set_add(comparison->done, bit);
			if (!goal_is_same(comparison, tables->grammar->terminal_count + bit))
				return false;
			more = true;
		}
	}
	return true;
}

/* Goals that are already known to be equivalent are not compared again. */
static bool try_equivalence(struct earley_build *build, struct earley_set *set,
			    struct earley_set *other, uint32_t bit)
{
	uint32_t words = build->tables->words;
	uint64_t goals[words], done[words];
	memcpy(goals, set->same_goals, sizeof goals);
	memcpy(done, set->same_goals, sizeof done);
	struct earley_same_comparison comparison = { build, set, other, goals, done };
	if (!grammar_set_has(other->predicted, bit))
		return false;
	grammar_set_add(goals, bit);
	if (!all_goals_are_same(&comparison))
		return false;
	memcpy(set->same_goals, goals, sizeof goals);
	set->same = other;
	return true;
}

/* Lists the sets to which the items of `set` return, each once and at most TRIED. */
static unsigned list_candidates(const struct earley_set *set, struct earley_set **others)
{
	unsigned count = 0;
	for (uint32_t i = 0; i < set->count && count < TRIED; i++) {
		struct earley_set *back = set->items[i].back;
		bool fresh = back != NULL;
		for (unsigned j = 0; j < count; j++)
			fresh &= others[j] != back;
		if (fresh)
			others[count++] = back;
	}
	return count;
}

bool earley_is_same(struct earley_build *build, struct earley_set *set, uint32_t goal)
{
	uint32_t bit = bit_of(build, goal);
	if (grammar_set_has(set->same_goals, bit))
		return true;
	if (!build->side || grammar_set_has(set->asked, bit))
		return false;
	grammar_set_add(set->asked, bit);
	struct earley_set *others[TRIED] = { set->same };
	unsigned count = set->same ? 1 : list_candidates(set, others);
	for (unsigned i = 0; i < count; i++)
		if (try_equivalence(build->side, set, others[i], bit))
			return true;
	return false;
}
