/*
 * Decision diagrams (Bryant), shared and reduced: a function of variables as a graph, equal functions
 * one number. Variables are asked in the order of their numbers. Leaves are numbers: 0 and 1 where a
 * function is true or false, any where it chooses among many (states).
 *
 * Automata are built on them twice. An edge of an automaton is not a letter but a diagram over the
 * atoms, so nobody enumerates the 2^n letters; and a state is a diagram over what is owed to the
 * future (future.c, ere.c), so states that are equal as propositions are the same state.
 *
 * There is a limit on the work: when it is met the diagrams are *spent*, everything becomes false, and
 * who asked must look at `spent` before believing anything. So nothing hangs.
 */
#ifndef LOGIC_DECISION_H
#define LOGIC_DECISION_H

#include "base/map.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

#define DECISION_FALSE 0u
#define DECISION_TRUE 1u
#define DECISION_LEAF UINT32_MAX

struct decision_node {
	uint32_t variable; /* DECISION_LEAF: `low` is its number */
	uint32_t low, high;
};

struct decisions {
	VEC(struct decision_node) nodes;
	uint32_t *table; /* node + 1 */
	size_t mask;
	struct decision_answer *answers; /* to questions asked lately: by hash, overwritten */
	uint64_t work;
	bool spent;
};

void decisions_open(struct decisions *decisions);
void decisions_close(struct decisions *decisions);

uint32_t decision_leaf(struct decisions *decisions, uint32_t number);
/* Both sides have later variables only. */
uint32_t decision_node(struct decisions *decisions, uint32_t variable, uint32_t low, uint32_t high);

/* if f then g else h; f has no leaves but true and false. */
uint32_t decision_choose(struct decisions *decisions, uint32_t f, uint32_t g, uint32_t h);
uint32_t decision_not(struct decisions *decisions, uint32_t f);
uint32_t decision_and(struct decisions *decisions, uint32_t f, uint32_t g);
uint32_t decision_or(struct decisions *decisions, uint32_t f, uint32_t g);

static inline uint32_t decision_variable(struct decisions *decisions, uint32_t variable)
{
	return decision_node(decisions, variable, DECISION_FALSE, DECISION_TRUE);
}

/* What is left behind the variables below `border` when they are as in the letter. */
uint32_t decision_walk(const struct decisions *decisions, uint32_t node, uint32_t border,
		       uint64_t letter);

/*
 * The diagram with everything behind the border exchanged. `known` remembers what became of each node
 * and stays with the caller, as long as `change` answers the same.
 */
struct decision_change {
	uint32_t border;
	uint32_t (*change)(void *context, uint32_t node);
	void *context;
	struct map known; /* node to node */
};
uint32_t decision_exchange(struct decisions *decisions, struct decision_change *change,
			   uint32_t node);

#endif
