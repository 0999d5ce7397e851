/*
 * Derivations while Earley's algorithm finds them: for each item of an Earley set, the part that
 * has been parsed so far. Derivations are reference-counted objects that sets and sessions share.
 * They are immutable except for the marks `second`, `checked` and `kept`. An object is freed when
 * no item leads to it.
 *
 * There is one object for all derivations of the same thing. It holds the first derivation that was
 * found; `second` says that there is another one. So a tree is unique if and only if no object in
 * it is marked. This is exact, even for infinitely many trees, and takes time linear in the size of
 * the tree.
 */
#ifndef GRAMMAR_TREE_H
#define GRAMMAR_TREE_H

#include "grammar/engine.h"

enum tree_kind {
	TREE_LEAF, /* an event */
	/*
	 * a nonterminal: `number` is its rule; `before` is the STEP of its last symbol, NULL if all
	 * its symbols are empty
	 */
	TREE_SYMBOL,
	/*
	 * A rule (`number`) up to and including a symbol, whose tree is `child` (NULL: the empty
	 * tree). `before` is the STEP of the symbol before it. If `before` is NULL, all symbols
	 * before it are empty, and `tail` is the FRAME that waits for the end of the rule, if Leo's
	 * rule has skipped callers.
	 */
	TREE_STEP,
	/*
	 * a rule (`number`) up to its last symbol; what waits for its end is the tail of `before`,
	 * or `tail`
	 */
	TREE_FRAME,
};

struct tree {
	union {
		uint64_t refs;
		struct tree *next_dead;
	};
	uint32_t number; /* LEAF: the event; otherwise the rule */
	uint8_t kind;
	bool checked; /* SYMBOL: it and everything below it is known to be unique */
	/*
	 * SYMBOL: in every tree that contains it, the same code runs before it, and the rules begun
	 * there run no more code. So there is a single state after it, which may be kept.
	 */
	bool leads;
	/* STEP, FRAME: its rule ends with the session, and no code runs after it */
	bool edge;
	uint32_t second; /* the rule of another derivation, or GRAMMAR_NONE */
	/*
	 * SYMBOL: the state after it. STEP: the state in which the next symbol, the last of its
	 * rule, starts. A registry reference owned by tree_walk.c, or LUA_NOREF. When it is set,
	 * everything below this object is released.
	 */
	int kept;
	struct tree *before, *child, *tail;
	struct script_value values[]; /* LEAF: the values of the used attributes */
};

/* These functions take their own references to their arguments. */
struct tree *tree_make(uint8_t kind, uint32_t number, struct tree *before, struct tree *child,
		       struct tree *tail);
struct tree *tree_make_leaf(const struct grammar *grammar, const struct grammar_token *token);
struct tree *tree_hold(struct tree *tree); /* also accepts NULL */
/* Releases a reference; `lua` holds the states in `kept`. */
void tree_drop(lua_State *lua, struct tree *tree);
/* Releases everything that this object leads to. */
void tree_drop_below(lua_State *lua, struct tree *tree);

#endif
