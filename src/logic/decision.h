/*
 * Decision diagrams (Bryant), shared and reduced: a function of Boolean variables is a graph of
 * nodes, and equal functions are the same node. Each path tests variables in the order of their
 * numbers. A leaf holds a number: 0 or 1 for a function that is false or true, any number for a
 * function that chooses among many values (states).
 *
 * Automata use diagrams in two ways. The edges of a state are one diagram over the atoms, so the
 * 2^n input symbols are never enumerated. And a state is itself a diagram, over obligations
 * (future.c) or terms (ere.c), so two states that are equal as propositions are the same state.
 *
 * The work is limited, so that no formula makes the tool hang. When the limit is reached, the
 * diagrams are *spent* and every result is DECISION_FALSE. The caller must check `spent` before it
 * uses a result.
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
	uint32_t variable; /* DECISION_LEAF: a leaf, and `low` is its number */
	uint32_t low, high;
};

struct decisions {
	VEC(struct decision_node) nodes;
	uint32_t *table; /* hash table of node + 1; 0: free */
	size_t mask;
	struct decision_answer *answers; /* cache of recent results of decision_choose(), by hash */
	uint64_t work;
	bool spent;
};

void decisions_open(struct decisions *decisions);
void decisions_close(struct decisions *decisions);

uint32_t decision_leaf(struct decisions *decisions, uint32_t number);
/* Both branches must test only later variables than `variable`. */
uint32_t decision_node(struct decisions *decisions, uint32_t variable, uint32_t low, uint32_t high);

/* Returns "if f then g else h". The leaves of f must be true and false only. */
uint32_t decision_choose(struct decisions *decisions, uint32_t f, uint32_t g, uint32_t h);
uint32_t decision_not(struct decisions *decisions, uint32_t f);
uint32_t decision_and(struct decisions *decisions, uint32_t f, uint32_t g);
uint32_t decision_or(struct decisions *decisions, uint32_t f, uint32_t g);

static inline uint32_t decision_variable(struct decisions *decisions, uint32_t variable)
{
	return decision_node(decisions, variable, DECISION_FALSE, DECISION_TRUE);
}

/*
 * Follows the diagram from `node`; bit v of `symbol` is the value of variable v. Returns the first
 * node that tests no variable below `border`.
 */
uint32_t decision_walk(const struct decisions *decisions, uint32_t node, uint32_t border,
		       uint64_t symbol);

/*
 * Replaces each node without variables below `border` by change(node). `known` caches the results.
 * The caller may reuse it as long as `change` gives the same answers.
 */
struct decision_change {
	uint32_t border;
	uint32_t (*change)(void *context, uint32_t node);
	void *context;
	struct map known; /* from a node to its replacement */
};
uint32_t decision_exchange(struct decisions *decisions, struct decision_change *change,
			   uint32_t node);

#endif
