/*
 * Earley sets as the states of an automaton. Jay Earley, "An efficient context-free parsing
 * algorithm", 1970; Joop Leo, "A general context-free parsing algorithm running in linear time on
 * every LR(k) grammar without using lookahead", 1991; Aycock and Horspool, "Practical Earley
 * parsing", 2002.
 *
 * An item says where to continue when its rule is complete: `back` is the set in which the rule was
 * predicted, and `goal` is the nonterminal that is expected there. (Earley's items have the set's
 * position in the word instead. Positions are not used here.) If only one item of a set expects a
 * nonterminal, and as its last symbol, then a return to that set is a return to where that item
 * returns. This is Leo's rule, implemented as a tail call: right recursion leaves no items in a
 * set.
 *
 * Without trees more is merged: two return points are one if the same items result from them
 * (earley_same.h). Otherwise a set of S : S S | … would have an item for each event of the session.
 *
 * A set has only the items to which a return is possible: with a symbol after the dot, and part of
 * the word before it. Predicted items, and items with only nullable symbols before the dot, follow
 * from the symbols after the dots (earley_tables.h).
 *
 * If the grammar has no code, two sets with the same items are one object, even if they come from
 * different words: the state of a session says only what may follow. A set lives while a session or
 * an item refers to it. With code each item has its derivation, and sets are not shared.
 */
#ifndef GRAMMAR_EARLEY_SET_H
#define GRAMMAR_EARLEY_SET_H

#include "grammar/earley_tables.h"
#include "grammar/tree.h"

struct earley_item {
	uint32_t core, goal;
	struct earley_set *back; /* NULL: the beginning of the session, with S' as the goal */
	/* the symbols before the dot: a STEP; NULL without code, or if all of them are empty */
	struct tree *tree;
};

struct earley_set {
	uint64_t number; /* increases with each new set and is never reused */
	uint64_t hash;
	struct earley_set *next; /* in the hash table, or in the list of sets to be freed */
	uint32_t refs;
	uint32_t count;
	bool complete;	   /* the session may end here */
	struct tree *root; /* with code, if complete: the SYMBOL of S' */
	/*
	 * With code: the nonterminal that is expected here, if exactly one item expects one and it
	 * is the last symbol of a rule that ends with the session, without code after it (`edge` in
	 * tree.h). Otherwise GRAMMAR_NONE.
	 */
	uint32_t place;
	uint64_t *predicted; /* bit set of nonterminals */
	/*
	 * For earley_same.h, subsets of `predicted`: the goals that are equivalent to those of
	 * `same`, and the goals that were tested.
	 */
	struct earley_set *same;
	uint64_t *same_goals, *asked;
	struct earley_item items[]; /* sorted by core, number of `back`, goal */
};

struct earley_sets;

struct earley_sets *earley_sets_open(const struct grammar *grammar, lua_State *lua);
void earley_sets_close(struct earley_sets *sets);
const struct earley_tables *earley_sets_tables(const struct earley_sets *sets);

struct earley_set *earley_set_first(struct earley_sets *sets);
/*
 * Returns the set after an event, or NULL if there is no continuation. `leaf` is NULL without code.
 */
struct earley_set *earley_set_next(struct earley_sets *sets, struct earley_set *set,
				   uint32_t terminal, struct tree *leaf);
/* The functions that return a set transfer a reference to the caller. */
void earley_set_hold(struct earley_set *set);
void earley_set_drop(struct earley_sets *sets, struct earley_set *set);

/* The number of existing sets, for tests. */
size_t earley_sets_count(const struct earley_sets *sets);

#endif
