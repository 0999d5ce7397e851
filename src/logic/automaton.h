/*
 * A formula as a complete, minimal deterministic automaton over input symbols. From it bad prefixes
 * are exact. A state is bad if no continuation, not even the empty one, is accepted: what was read
 * is a bad prefix. It is safe if every continuation is accepted.
 *
 * Atoms are assumed to be independent: that x == 1 and x == 2 are never true at the same time is
 * not known here. A prefix that is bad only for such a reason is reported later, when it is bad by
 * itself; what is reported is always right.
 */
#ifndef LOGIC_AUTOMATON_H
#define LOGIC_AUTOMATON_H

#include "base/err.h"
#include "logic/decision.h"

/* No useful formula needs more, and one that does gets a message. */
#define AUTOMATON_STATES 10000u

struct automaton_state {
	uint32_t next; /* a decision diagram over the atoms whose leaves are states */
	bool accepts;  /* the word may end here */
	bool bad, safe;
};

struct automaton {
	uint32_t atoms;
	/* 0 is the initial state; ordered by distance from it */
	VEC(struct automaton_state) states;
	struct decisions decisions;
};

/*
 * What an engine provides. Its states are nodes of its diagrams that have no variable below
 * `atoms`: propositions over the obligations (variables from `atoms` on), or leaves with numbers of
 * its own.
 */
struct automaton_engine {
	void *self;
	struct decisions *decisions;
	uint32_t atoms, start;
	/* The diagram over the atoms with the successor states as its leaves. */
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
