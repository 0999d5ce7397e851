/* One step of Earley's algorithm: the items behind an event. */
#ifndef GRAMMAR_EARLEY_BUILD_H
#define GRAMMAR_EARLEY_BUILD_H

#include "grammar/earley_set.h"

struct earley_found {
	uint32_t stamp, item;
};

/* What is found; kept from step to step for its memory. */
struct earley_build {
	const struct earley_tables *tables;
	lua_State *lua;
	bool trees; /* the grammar has code */
	/* for earley_same.h, while this one is at work; NULL in that one itself, and with trees */
	struct earley_build *side;
	/*
	 * Those of the next set, and with GRAMMAR_NONE as their core nonterminals that end here: `goal`,
	 * from `back` on. They do not hold their `back`; their trees are their own.
	 */
	VEC(struct earley_item) items;
	struct earley_found *found; /* a hash table: which of `items`; others' stamps are old */
	uint32_t found_mask, stamp;
	bool complete;
	struct tree *root;
};

void earley_build_open(struct earley_build *build, const struct earley_tables *tables,
		       lua_State *lua, bool trees);
void earley_build_close(struct earley_build *build);

/* `from` NULL: the items at the beginning of a session. They are left sorted, the others gone. */
void earley_build_items(struct earley_build *build, const struct earley_set *from,
			uint32_t terminal, struct tree *leaf);

/* What comes of it if `goal`, which started in `set`, is done. */
void earley_build_return(struct earley_build *build, struct earley_set *set, uint32_t goal);

/*
 * Where a rule for `*goal` that starts in `*back` really comes back. With trees the frames in between
 * are returned, the innermost first.
 */
struct tree *earley_find_return(struct earley_build *build, struct earley_set **back,
				uint32_t *goal);

/* Sorts items as they are in sets. */
void earley_sort_items(struct earley_item *items, size_t count);

#endif
