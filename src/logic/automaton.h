/*
 * A formula as a deterministic automaton over letters, all of it, as small as it can be: from there
 * bad prefixes are exact. A state is bad if no continuation, not even the empty one, is accepted: what
 * was read is a bad prefix. It is safe if every continuation is accepted.
 *
 * Atoms are taken to be independent of each other: that x == 1 and x == 2 are never true at once is
 * not known here. A prefix that is bad only for such a reason is not told before it is bad by itself;
 * what is told stays true.
 */
#ifndef LOGIC_AUTOMATON_H
#define LOGIC_AUTOMATON_H

#include "base/err.h"
#include "logic/decision.h"

/* Nobody needs more, and a formula that does is told so. */
#define AUTOMATON_STATES 10000u

struct automaton_state {
	uint32_t next; /* a diagram over the atoms whose leaves are states */
	bool accepts;  /* the word may end here */
	bool bad, safe;
};

struct automaton {
	uint32_t atoms;
	VEC(struct automaton_state) states; /* 0 is the first, before any letter; by distance */
	struct decisions decisions;
};

/*
 * What an engine tells. Its states are nodes of its diagrams that have no variable below `atoms`:
 * propositions on what is owed (variables from `atoms` on), or leaves with numbers of its own.
 */
struct automaton_engine {
	void *self;
	struct decisions *decisions;
	uint32_t atoms, start;
	/* The diagram over the atoms with states behind it. */
	uint32_t (*step)(void *self, uint32_t state);
	bool (*accepts)(void *self, uint32_t state);
};

/* False: more than AUTOMATON_STATES, or too much work to find out. */
bool automaton_build(struct automaton *automaton, const struct automaton_engine *engine,
		     struct err *err);
void automaton_free(struct automaton *automaton);

static inline uint32_t automaton_step(const struct automaton *a, uint32_t state, uint64_t letter)
{
	uint32_t leaf = decision_walk(&a->decisions, a->states.items[state].next, a->atoms, letter);

	return a->decisions.nodes.items[leaf].low;
}

#endif
