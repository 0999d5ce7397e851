/*
 * Earley's sets, as a machine whose states they are. Jay Earley, "An efficient context-free parsing
 * algorithm", 1970; Joop Leo, "A general context-free parsing algorithm running in linear time on every
 * LR(k) grammar without using lookahead", 1991; Aycock and Horspool, "Practical Earley parsing", 2002.
 *
 * An item says where to go on when its rule is done: `back`, a set, and `goal`, a nonterminal that is
 * expected there. (Earley has the set's position in the word. Nothing here knows positions.) Where only
 * one item of a set expects a nonterminal, as its last symbol, whoever would come back there comes back
 * where that item does: Leo's rule, as a tail call. So right recursion is not seen in a set at all.
 *
 * Without trees more is done: two places to come back to are one if the same comes of them
 * (earley_same.h). Otherwise a set of S : S S | … would have an item for each event of the session.
 *
 * A set has only the items that may come back: with a symbol behind the dot, and something of the word
 * before it. What is predicted, and nullable symbols before the dot, follow from the symbols behind the
 * dots (earley_tables.h).
 *
 * Without code in the grammar, two sets with the same items are one object, whatever the words were:
 * the state of a session says nothing more than what may follow. A set stays while a session or an item
 * leads to it. With code each item has its derivation, and sets are not shared.
 */
#ifndef GRAMMAR_EARLEY_SET_H
#define GRAMMAR_EARLEY_SET_H

#include "grammar/earley_tables.h"
#include "grammar/tree.h"

struct earley_item {
	uint32_t core, goal;
	struct earley_set *back; /* NULL: the session's beginning, with S' as the goal */
	struct tree *tree;	 /* what is before the dot: a STEP; NULL without code, or nothing */
};

struct earley_set {
	uint64_t number; /* rises in the order in which sets are made; never used again */
	uint64_t hash;
	struct earley_set *next; /* in the table of all, or on the way out */
	uint32_t refs;
	uint32_t count;
	bool complete;	   /* the session may end here */
	struct tree *root; /* with code, and complete: the SYMBOL S' */
	/*
	 * With code: the nonterminal that is expected here, if only one item expects one, as the last
	 * symbol of a rule at the session's edge (tree.h). GRAMMAR_NONE: not so.
	 */
	uint32_t place;
	uint64_t *predicted; /* nonterminals */
	/* earley_same.h: those of them that are the same in `same`, and those that were asked for */
	struct earley_set *same;
	uint64_t *same_goals, *asked;
	struct earley_item items[]; /* by core, number of `back`, goal */
};

struct earley_sets;

struct earley_sets *earley_sets_open(const struct grammar *grammar, lua_State *lua);
void earley_sets_close(struct earley_sets *sets);
const struct earley_tables *earley_sets_tables(const struct earley_sets *sets);

struct earley_set *earley_set_first(struct earley_sets *sets);
/* The set behind an event; NULL: no continuation. `leaf` is NULL without code. */
struct earley_set *earley_set_next(struct earley_sets *sets, struct earley_set *set,
				   uint32_t terminal, struct tree *leaf);
/* Sets are handed out with a reference. */
void earley_set_hold(struct earley_set *set);
void earley_set_drop(struct earley_sets *sets, struct earley_set *set);

/* How many there are, for tests. */
size_t earley_sets_count(const struct earley_sets *sets);

#endif
