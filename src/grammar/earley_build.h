/* One step of Earley's algorithm: computes the items after an event. */
#ifndef GRAMMAR_EARLEY_BUILD_H
#define GRAMMAR_EARLEY_BUILD_H

#include "grammar/earley_set.h"

struct earley_found {
	uint32_t stamp, item;
};

/* The result of a step. It is reused from step to step, to keep its memory. */
struct earley_build {
	const struct earley_tables *tables;
	lua_State *lua;
	bool trees; /* the grammar has code, so items have trees */
	/*
	 * The second builder, which earley_same.h uses while this one is at work. NULL in the
	 * second builder itself, and if the grammar has code.
	 */
	struct earley_build *side;
	/*
	 * The items of the next set. During a step, `items` also holds nonterminals that are
	 * complete here: such an entry has core GRAMMAR_NONE, the nonterminal in `goal`, and the
	 * set where it started in `back`. An item owns its tree, but holds no reference to `back`.
	 */
	VEC(struct earley_item) items;
	/* hash table of indices into `items`; entries with an old stamp are free */
	struct earley_found *found;
	uint32_t found_mask, stamp;
	bool complete;
	struct tree *root;
};

void earley_build_open(struct earley_build *build, const struct earley_tables *tables,
		       lua_State *lua, bool trees);
void earley_build_close(struct earley_build *build);

/*
 * Computes the items after `terminal` in `from`, sorted. `from` NULL: the items at the beginning of
 * a session.
 */
void earley_build_items(struct earley_build *build, const struct earley_set *from,
			uint32_t terminal, struct tree *leaf);

/* Computes the items that follow when `goal`, which started in `set`, is complete. */
void earley_build_return(struct earley_build *build, struct earley_set *set, uint32_t goal);

/*
 * Applies Leo's rule to a return point, `*goal` in `*back`: if its only caller has nothing left to
 * parse after `*goal`, replaces it by the return point of that caller, and so on. With trees,
 * returns the skipped callers as FRAMEs, the innermost first. Without trees, also replaces return
 * points by older equivalent ones (earley_same.h).
 */
struct tree *earley_find_return(struct earley_build *build, struct earley_set **back,
				uint32_t *goal);

/* Sorts items into the order that they have in sets. */
void earley_sort_items(struct earley_item *items, size_t count);

#endif
