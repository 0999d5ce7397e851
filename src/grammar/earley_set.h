/*
 * Earley sets as the states of an automaton. Jay Earley, "An efficient context-free parsing
 * algorithm", 1970; Joop Leo, "A general context-free parsing algorithm running in linear time on
 * every LR(k) grammar without using lookahead", 1991; Aycock and Horspool, "Practical Earley
 * parsing", 2002.
 *
 * An item has a return point, which says where to continue when its rule is complete: `back` is the
 * set in which the rule was predicted, and `goal` is the nonterminal that is expected there.
 * (Earley's items have the set's position in the word instead. Positions are not used here.)
 *
 * Suppose that only one item of a set expects a nonterminal, as the last symbol of its rule. When
 * the nonterminal is complete, that rule is complete as well. So a return to this set is replaced
 * by a return to the return point of that item. This is Leo's rule, implemented as a tail call:
 * right recursion leaves no items in a set.
 *
 * Without trees, two return points are also merged if the same items result from them
 * (earley_same.h). Otherwise a set of S : S S | … would have an item for each event of the session.
 *
 * A set stores only items to which a return is possible: those with a symbol after the dot, and
 * part of the word before it. Predicted items, and items with only nullable symbols before the dot,
 * follow from the symbols after the dots (earley_tables.h).
 *
 * If the grammar has no code, two sets with the same items are one object, even if they come from
 * different words: the state of a session says only what may follow. A set lives while a session or
 * an item refers to it. With code, each item has its derivation, and sets are not shared.
 */
#ifndef GRAMMAR_EARLEY_SET_H
#define GRAMMAR_EARLEY_SET_H

#include "grammar/earley_tables.h"
#include "grammar/tree.h"

struct earley_item {
	uint32_t core, goal;
	struct earley_set *back; /* NULL: the beginning of the session, with S' as the goal */
	/* the STEP of the last symbol before the dot; NULL without code, or if all are empty */
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
	 * With code: a nonterminal N, if exactly one item expects a nonterminal, N is the last
	 * symbol of that item's rule, the rule ends where the session ends, and no code runs after
	 * N (`edge` in tree.h). Otherwise GRAMMAR_NONE.
	 */
	uint32_t place;
	uint64_t *predicted; /* bit set of nonterminals */
	/*
	 * For earley_same.h: the set to which this one is equivalent for some goals, or NULL; these
	 * goals; and all goals that were tested. The goals are subsets of `predicted`.
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
/* Functions that return a set give the caller a reference to it. */
void earley_set_hold(struct earley_set *set);
void earley_set_drop(struct earley_sets *sets, struct earley_set *set);

/* Returns the number of existing sets; for tests. */
size_t earley_sets_count(const struct earley_sets *sets);

#endif
