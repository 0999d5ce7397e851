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
	bool trees; /* the grammar has code */
	/*
	 * The second builder that earley_same.h uses while this one is at work. NULL in the second
	 * builder itself, and with trees.
	 */
	struct earley_build *side;
	/*
	 * The items of the next set. During a step also nonterminals that end here: those have core
	 * GRAMMAR_NONE, the nonterminal in `goal` and the set where it started in `back`. Items
	 * hold no reference to `back`, but own their trees.
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

/* Computes the items that result if `goal`, which started in `set`, is complete. */
void earley_build_return(struct earley_build *build, struct earley_set *set, uint32_t goal);

/*
 * Follows Leo's rule: replaces `*back` and `*goal` by the point where a rule for `*goal` that
 * starts in `*back` finally returns. With trees, returns the skipped frames, the innermost first.
 */
struct tree *earley_find_return(struct earley_build *build, struct earley_set **back,
				uint32_t *goal);

/* Sorts items into the order that they have in sets. */
void earley_sort_items(struct earley_item *items, size_t count);

#endif
