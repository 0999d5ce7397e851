/*
 * Derivations while they are found: what has been parsed so far of each item of an Earley set, as
 * objects that sets and sessions share and that never change, but for one mark. Counted references;
 * what no item leads to any more goes away.
 *
 * There is one object for all derivations of the same thing. It holds the first that was found;
 * `second` says that there is another one. So a tree is the only one if no object that it consists of
 * is marked, which is exact, also for infinitely many trees, and takes time in the size of the tree.
 */
#ifndef GRAMMAR_TREE_H
#define GRAMMAR_TREE_H

#include "grammar/engine.h"

enum tree_kind {
	TREE_LEAF, /* an event */
	/* a symbol: `number` is its rule; `before` the STEP of its last symbol, NULL if all are empty */
	TREE_SYMBOL,
	/*
	 * A rule up to a symbol, whose tree is `child` (NULL: an empty one). `before` is the STEP of the
	 * symbol before; NULL: all before it are empty, and `tail` is the FRAME that waits for the
	 * rule's end, if Leo's rule has skipped some. `number` is the rule.
	 */
	TREE_STEP,
	/* a rule (`number`) up to its last symbol; what waits for it is the tail of `before`, or `tail` */
	TREE_FRAME,
};

struct tree {
	union {
		uint64_t refs;
		struct tree *next_dead;
	};
	uint32_t number; /* LEAF: the event */
	uint8_t kind;
	bool checked; /* SYMBOL: there is no other tree of it, all the way down */
	/*
	 * SYMBOL: whatever it is a part of, the same is walked before it, and what was begun there needs
	 * no more code: there is one state behind it, which may be kept
	 */
	bool leads;
	/* STEP, FRAME: its rule ends with the session, and no code is run behind it */
	bool edge;
	uint32_t second; /* the rule of another derivation; GRAMMAR_NONE */
	/*
	 * SYMBOL: the state behind it; STEP: the one in which the next symbol, the last of its rule,
	 * starts. A reference of tree_walk.c, or LUA_NOREF. What is below it was let go then.
	 */
	int kept;
	struct tree *before, *child, *tail;
	struct script_value values[]; /* LEAF: of the attributes that are used */
};

/* They take a reference of their own to what they are given. */
struct tree *tree_make(uint8_t kind, uint32_t number, struct tree *before, struct tree *child,
		       struct tree *tail);
struct tree *tree_make_leaf(const struct grammar *grammar, const struct grammar_token *token);
struct tree *tree_hold(struct tree *tree); /* also NULL */
/* `lua`: where references of `kept` are. */
void tree_drop(lua_State *lua, struct tree *tree);
/* Lets go what it leads to. */
void tree_drop_below(lua_State *lua, struct tree *tree);

#endif
