/*
 * Decision diagrams (Bryant), shared and reduced: a function of variables as a graph; equal
 * functions have the same number. Variables are tested in the order of their numbers. Leaves are
 * numbers: 0 and 1 for a function that is true or false, any number for one that chooses among many
 * values (states).
 *
 * Automata use them twice. An edge of an automaton is not a symbol but a diagram over the atoms, so
 * the 2^n symbols are never enumerated. And a state is a diagram over obligations (future.c,
 * ere.c), so states that are equal as propositions are the same state.
 *
 * The work is limited. When the limit is reached, the diagrams are *spent* and every result is
 * false; the caller must check `spent` before it uses a result. So nothing hangs.
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
	struct decision_answer *answers; /* cache of recent answers: by hash, overwritten */
	uint64_t work;
	bool spent;
};

void decisions_open(struct decisions *decisions);
void decisions_close(struct decisions *decisions);

uint32_t decision_leaf(struct decisions *decisions, uint32_t number);
/* Both branches have only later variables. */
uint32_t decision_node(struct decisions *decisions, uint32_t variable, uint32_t low, uint32_t high);

/* if f then g else h; the leaves of f are true and false only. */
uint32_t decision_choose(struct decisions *decisions, uint32_t f, uint32_t g, uint32_t h);
uint32_t decision_not(struct decisions *decisions, uint32_t f);
uint32_t decision_and(struct decisions *decisions, uint32_t f, uint32_t g);
uint32_t decision_or(struct decisions *decisions, uint32_t f, uint32_t g);

static inline uint32_t decision_variable(struct decisions *decisions, uint32_t variable)
{
	return decision_node(decisions, variable, DECISION_FALSE, DECISION_TRUE);
}

/* The node that is reached when the variables below `border` have the values of the symbol. */
uint32_t decision_walk(const struct decisions *decisions, uint32_t node, uint32_t border,
		       uint64_t symbol);

/*
 * Replaces everything from the border on. `known` remembers the result for each node; the caller
 * keeps it as long as `change` gives the same answers.
 */
struct decision_change {
	uint32_t border;
	uint32_t (*change)(void *context, uint32_t node);
	void *context;
	struct map known; /* from node to node */
};
uint32_t decision_exchange(struct decisions *decisions, struct decision_change *change,
			   uint32_t node);

#endif
