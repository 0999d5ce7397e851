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

#endif
