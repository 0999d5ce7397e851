/*
 * Derivations while Earley's algorithm builds them: for each item of an Earley set, the part of its
 * rule that has been parsed so far. Derivations are reference-counted objects that sets and
 * sessions share. They are immutable except for the marks `second`, `checked` and `kept`.
 *
 * All derivations of the same item or nonterminal are one object. It holds the first derivation
 * that was found; `second` says that there is another one. So a tree is unique if and only if no
 * object in it has a `second`. This test is exact, even if there are infinitely many trees, and
 * takes time linear in the size of the tree.
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
	 * A rule (`number`) up to and including one of its symbols, whose tree is `child` (NULL:
	 * the empty tree). `before` is the STEP of the symbol before that one. If `before` is NULL,
	 * all symbols before that one are empty; then `tail` is the innermost FRAME that waits for
	 * the end of the rule, or NULL if Leo's rule has skipped no caller.
	 */
	TREE_STEP,
	/*
	 * A caller that Leo's rule has skipped: a rule (`number`) without its last symbol, for
	 * which the caller waits. `before` is the STEP of the symbol before that, or NULL if all
	 * symbols before it are empty. The next outer FRAME is `tail` if `before` is NULL, and
	 * otherwise the `tail` of the rule's first STEP.
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
	 * SYMBOL: in every tree that contains this object, the same code runs before it, and the
	 * rules that were open when it began run no more code. So there is a single state after it,
	 * which may be kept.
	 */
	bool leads;
	/* STEP, FRAME: its rule ends where the session ends, and no code runs after the rule */
	bool edge;
	uint32_t second; /* the rule of another derivation of this object, or GRAMMAR_NONE */
	/*
	 * The kept state. SYMBOL: the state after it. STEP: the state in which the next symbol, the
	 * last of its rule, starts. It is a registry reference that tree_walk.c owns, or LUA_NOREF.
	 * When a state is kept, everything below this object is released.
	 */
	int kept;
	struct tree *before, *child, *tail;
	struct script_value values[]; /* LEAF: the values of the used attributes */
};

/* These functions take references of their own to their arguments. */
struct tree *tree_make(uint8_t kind, uint32_t number, struct tree *before, struct tree *child,
		       struct tree *tail);
struct tree *tree_make_leaf(const struct grammar *grammar, const struct grammar_token *token);
struct tree *tree_hold(struct tree *tree); /* also accepts NULL */
/* Releases a reference; `lua` holds the states in `kept`. */
void tree_drop(lua_State *lua, struct tree *tree);
/* Releases everything that this object leads to. */
void tree_drop_below(lua_State *lua, struct tree *tree);

#endif
