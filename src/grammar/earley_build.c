/*
 * The scanner and the completer of Earley's algorithm. There is no predictor: a bit set holds the
 * nonterminals that a set predicts (earley_set.h). A predicted rule becomes an item only when its
 * first symbol has been parsed.
 */
#include "grammar/earley_build.h"
#include "grammar/earley_same.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/sort.h"

#include <assert.h>

void earley_build_open(struct earley_build *build, const struct earley_tables *tables,
		       lua_State *lua, bool trees)
{
	*build = (struct earley_build){ .tables = tables, .lua = lua, .trees = trees };
	build->found_mask = 63;
	build->found = mem_zalloc(build->found_mask + 1, sizeof *build->found);
}

void earley_build_close(struct earley_build *build)
{
	vec_free(&build->items);
	free(build->found);
}

/* ---- the set of items ------------------------------------------------------------------------ */

static uint64_t hash_item(const struct earley_item *item)
{
	uint64_t hash = hash_mix(hash_mix(0, item->core), item->goal);
	hash = hash_mix(hash, item->back ? item->back->number : 0);
	return hash ^ hash >> 32;
}

static struct earley_found *find_item(struct earley_build *build, const struct earley_item *wanted)
{
	for (uint32_t i = hash_item(wanted);; i++) {
		struct earley_found *found = &build->found[i & build->found_mask];
		if (found->stamp != build->stamp)
			return found;
		const struct earley_item *item = &build->items.items[found->item];
		if (item->core == wanted->core && item->goal == wanted->goal &&
		    item->back == wanted->back)
			return found;
	}
}

static void grow_found(struct earley_build *build)
{
	free(build->found);
	build->found_mask = build->found_mask * 2 + 1;
	build->found = mem_zalloc(build->found_mask + 1, sizeof *build->found);
	build->stamp = 1;
	for (uint32_t i = 0; i < build->items.count; i++)
		*find_item(build, &build->items.items[i]) = (struct earley_found){ 1, i };
}

/*
 * Adds an item. If it exists already, returns false and marks that the item has another derivation,
 * by `rule`.
 */
static bool add_item(struct earley_build *build, const struct earley_item *item, uint32_t rule)
{
	struct earley_found *found = find_item(build, item);
	if (found->stamp == build->stamp) {
		struct tree *tree = build->items.items[found->item].tree;
		if (tree && tree->second == GRAMMAR_NONE)
			tree->second = rule;
		return false;
	}
	*found = (struct earley_found){ build->stamp, build->items.count };
	*vec_push(&build->items) = *item;
	if (build->items.count * 2 > build->found_mask)
		grow_found(build);
	return true;
}

static bool leads_from_place(const struct earley_tables *tables, uint32_t place, uint32_t goal)
{
	uint32_t terminals = tables->grammar->terminal_count;
	return place != GRAMMAR_NONE &&
	       grammar_set_has(&tables->leads[(place - terminals) * tables->words],
			       goal - terminals);
}

/*
 * Moves the dot of `core` over its symbol, whose tree is `child`, and adds the resulting item. If
 * the rule ends there, adds the complete nonterminal `goal` instead.
 */
static void advance_dot(struct earley_build *build, uint32_t core, struct earley_set *back,
			uint32_t goal, struct tree *before, struct tree *child, struct tree *tail)
{
	const struct earley_core *next = &build->tables->cores[build->tables->cores[core].next];
	bool ends = next->symbol == GRAMMAR_NONE;
	struct earley_item item = {
		.core = ends ? GRAMMAR_NONE : build->tables->cores[core].next,
		.goal = goal,
		.back = back,
	};
	if (!add_item(build, &item, next->rule) || !build->trees)
		return;
	struct tree *step = tree_make(TREE_STEP, next->rule, before, child, tail), *symbol = step;
	step->edge = before ? before->edge : tail && tail->edge;
	if (ends) {
		symbol = tree_make(TREE_SYMBOL, next->rule, step, NULL, NULL);
		symbol->leads = back && leads_from_place(build->tables, back->place, goal);
		tree_drop(build->lua, step);
	}
	build->items.items[build->items.count - 1].tree = symbol;
}

/* ---- return points --------------------------------------------------------------------------- */

/*
 * Returns the first item of a set with this symbol after the dot. The items with this symbol end
 * before `*end`.
 */
static const struct earley_item *items_expecting(const struct earley_tables *tables,
						 const struct earley_set *set, uint32_t symbol,
						 const struct earley_item **end)
{
	uint32_t from, count;
	SEARCH_FIRST(from, set->count, set->items[from].core >= tables->first_core[symbol]);
	const struct earley_item *first = set->items + from;
	SEARCH_FIRST(count, set->count - from, first[count].core >= tables->first_core[symbol + 1]);
	*end = first + count;
	return first;
}

static bool is_predicted(const struct earley_tables *tables, const struct earley_set *set,
			 uint32_t core)
{
	return grammar_set_has(set->predicted,
			       tables->cores[core].left - tables->grammar->terminal_count);
}

/*
 * Returns the core that waits for `goal` in `set`, if it is the only one and `goal` is its last
 * symbol. If it is the core of an item, sets `*item` to that item; if it is a predicted corner,
 * sets `*item` to NULL. Otherwise returns GRAMMAR_NONE.
 */
static uint32_t find_only_caller(const struct earley_tables *tables, const struct earley_set *set,
				 uint32_t goal, const struct earley_item **item)
{
	const struct earley_item *end, *first = items_expecting(tables, set, goal, &end);
	if (end - first > 1)
		return GRAMMAR_NONE;
	uint32_t only = end > first ? first->core : GRAMMAR_NONE;
	*item = end > first ? first : NULL;
	for (uint32_t i = tables->first_corner[goal]; i < tables->first_corner[goal + 1]; i++) {
		if (!is_predicted(tables, set, tables->corners[i]))
			continue;
		if (only != GRAMMAR_NONE)
			return GRAMMAR_NONE;
		only = tables->corners[i];
	}
	assert(only != GRAMMAR_NONE);
	return tables->cores[tables->cores[only].next].symbol == GRAMMAR_NONE ? only : GRAMMAR_NONE;
}

/*
 * The loop ends: predicted corners cannot form a cycle, because no item would predict any of them;
 * and an equivalent set (earley_same.h) is always older.
 */
struct tree *earley_find_return(struct earley_build *build, struct earley_set **back,
				uint32_t *goal)
{
	const struct earley_tables *tables = build->tables;
	struct tree *innermost = NULL, **outermost = &innermost;
	bool clean = true;
	while (*back) {
		const struct earley_item *item = NULL;
		uint32_t core = find_only_caller(tables, *back, *goal, &item);
		if (core == GRAMMAR_NONE) {
			if (build->trees || !earley_is_same(build, *back, *goal))
				break;
			*back = (*back)->same;
			continue;
		}
		if (build->trees) {
			*outermost = tree_make(TREE_FRAME, tables->cores[core].rule,
					       item ? item->tree : NULL, NULL, NULL);
			outermost = &(*outermost)->tail;
			clean &= tables->ends_clean[tables->cores[core].rule];
		}
		*goal = item ? item->goal : tables->cores[core].left;
		if (item) {
			*back = item->back;
			if (innermost)
				innermost->edge = clean && (item->tree ? item->tree->edge : !*back);
			break;
		}
	}
	return innermost;
}

/*
 * Advances all items and predicted corners of `set` that wait for `symbol`: a terminal that was
 * read, or a nonterminal that is complete.
 */
static void advance_waiting_items(struct earley_build *build, const struct earley_set *set,
				  uint32_t symbol, struct tree *child)
{
	const struct earley_tables *tables = build->tables;
	const struct earley_item *end, *item = items_expecting(tables, set, symbol, &end);
	for (; item < end; item++)
		advance_dot(build, item->core, item->back, item->goal, item->tree, child, NULL);
	for (uint32_t i = tables->first_corner[symbol]; i < tables->first_corner[symbol + 1]; i++) {
		uint32_t core = tables->corners[i];
		if (!is_predicted(tables, set, core))
			continue;
		struct earley_set *back = (struct earley_set *)set;
		uint32_t goal = tables->cores[core].left;
		struct tree *tail = earley_find_return(build, &back, &goal);
		advance_dot(build, core, back, goal, NULL, child, tail);
		tree_drop(build->lua, tail);
	}
}

/* ---- a step ---------------------------------------------------------------------------------- */

static void close_items(struct earley_build *build)
{
	const struct earley_tables *tables = build->tables;
	for (size_t i = 0; i < build->items.count; i++) {
		struct earley_item item = build->items.items[i];
		if (item.core != GRAMMAR_NONE) {
			/*
			 * Aycock and Horspool: a nullable symbol is complete as soon as it is
			 * expected
			 */
			if (tables->grammar->nullable[tables->cores[item.core].symbol])
				advance_dot(build, item.core, item.back, item.goal, item.tree, NULL,
					    NULL);
		} else if (item.back) {
			advance_waiting_items(build, item.back, item.goal, item.tree);
		} else {
			build->complete = true;
			build->root = tree_hold(item.tree);
		}
	}
}

static uint64_t number_of(const struct earley_set *set)
{
	return set ? set->number : 0;
}

SORT_COMPARISON(compare_items, struct earley_item, a, b,
		sort_order(a->core, b->core)
			?: sort_order(number_of(a->back), number_of(b->back))
			?: sort_order(a->goal, b->goal))

void earley_sort_items(struct earley_item *items, size_t count)
{
	if (count > 16) {
		qsort(items, count, sizeof *items, compare_items);
		return;
	}
	for (size_t i = 1; i < count; i++) {
		struct earley_item item = items[i];
		size_t at = i;
		for (; at && compare_items(&items[at - 1], &item) > 0; at--)
			items[at] = items[at - 1];
		items[at] = item;
	}
}

static void begin_step(struct earley_build *build)
{
	build->items.count = 0;
	build->complete = false;
	build->root = NULL;
	if (++build->stamp == 0)
		grow_found(build);
}

/*
 * Adds all items that follow from the present ones, then removes the completed nonterminals and
 * sorts the items.
 */
static void finish_step(struct earley_build *build)
{
	close_items(build);
	size_t count = 0;
	for (size_t i = 0; i < build->items.count; i++) {
		struct earley_item item = build->items.items[i];
		if (item.core == GRAMMAR_NONE)
			tree_drop(build->lua, item.tree);
		else
			build->items.items[count++] = item;
	}
	build->items.count = count;
	earley_sort_items(build->items.items, count);
}

void earley_build_return(struct earley_build *build, struct earley_set *set, uint32_t goal)
{
	begin_step(build);
	add_item(build, &(struct earley_item){ GRAMMAR_NONE, goal, set, NULL }, GRAMMAR_NONE);
	finish_step(build);
}

void earley_build_items(struct earley_build *build, const struct earley_set *from,
			uint32_t terminal, struct tree *leaf)
{
	begin_step(build);
	if (from)
		advance_waiting_items(build, from, terminal, leaf);
	else
		add_item(build,
			 &(struct earley_item){ build->tables->start, build->tables->goal, NULL,
						NULL },
			 GRAMMAR_NONE);
	finish_step(build);
}
