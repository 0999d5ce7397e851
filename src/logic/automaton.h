/*
 * A formula as a complete, minimal deterministic automaton over input symbols. It tells exactly
 * which prefixes are bad: a state is bad if no continuation of the word read so far is accepted,
 * not even the empty one; then that word is a bad prefix. A state is safe if every continuation is
 * accepted.
 *
 * Atoms are treated as independent: the automaton does not know that x == 1 and x == 2 are never
 * true at the same time. So a prefix that is bad only for such a reason is reported later than
 * possible. A report is never wrong.
 */
#ifndef LOGIC_AUTOMATON_H
#define LOGIC_AUTOMATON_H

#include "base/err.h"
#include "logic/decision.h"

/* Useful formulas need fewer states. A formula that exceeds this limit gets an error message. */
#define AUTOMATON_STATES 10000u

struct automaton_state {
	uint32_t next; /* a decision diagram over the atoms whose leaves are states */
	bool accepts;  /* the word may end here */
	bool bad, safe;
};

struct automaton {
	uint32_t atoms;
	/* [0] is the initial state; sorted by distance from it */
	VEC(struct automaton_state) states;
	struct decisions decisions;
};

/*
 * What future.c, past.c and ere.c provide to build an automaton. A state of an engine is a node of
 * `decisions` that tests no atom (variables below `atoms`): either a proposition over the engine's
 * own variables, numbered from `atoms` on, or a leaf with a number that the engine chose.
 */
struct automaton_engine {
	void *self;
	struct decisions *decisions;
	uint32_t atoms, start;
	/* Returns a diagram that tests the atoms and ends in the successor states. */
	uint32_t (*step)(void *self, uint32_t state);
	bool (*accepts)(void *self, uint32_t state);
};

/*
 * Returns false if there are more than AUTOMATON_STATES states, or finding them takes too much
 * work.
 */
bool automaton_build(struct automaton *automaton, const struct automaton_engine *engine,
		     struct err *err);
void automaton_free(struct automaton *automaton);

static inline uint32_t automaton_step(const struct automaton *a, uint32_t state, uint64_t symbol)
{
	uint32_t leaf = decision_walk(&a->decisions, a->states.items[state].next, a->atoms, symbol);

	return a->decisions.nodes.items[leaf].low;
}

#endif
