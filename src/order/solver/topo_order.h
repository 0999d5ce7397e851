/*
 * One total order of all nodes and the cut that is kept while edges come and go.
 *
 * Adding an edge moves only the nodes that must move: those before its source that stand behind
 * its target (Pearce & Kelly, "A dynamic topological sort algorithm for directed acyclic graphs",
 * 2006, one half of it). Theirs gives the moved nodes the places of each other, which would carry
 * the cut far away and draw into the prefix what has nothing to do with it; here the order is a
 * linked list with labels, so that what moves is put right before the target and nothing else
 * changes sides. Private to the solver.
 */
#ifndef ORDER_SOLVER_TOPO_ORDER_H
#define ORDER_SOLVER_TOPO_ORDER_H

#include "order/solver/closure.h"

struct topo_order_edge {
	uint32_t from, to;
	uint32_t in_next, out_next; /* the next edge into `to`, out of `from` */
	int32_t literal;	    /* 0: holds without reason */
};

struct topo_order_place {
	uint64_t label;
	uint32_t node;
};

struct topo_order {
	const struct order_index *index;
	const struct closure *closure; /* what needs no reason */
	uint32_t cut;		       /* its number as a node: node_count */
	uint64_t *label;
	uint32_t *next, *previous; /* a ring through cut + 1 */
	VEC(struct topo_order_edge) edges;
	uint32_t *in_first, *out_first;
	/* search: marks are good when they equal the number of the search */
	uint32_t search;
	uint32_t *seen, *settled, *parent; /* parent: an edge of `edges`, or ORDER_NONE: static */
	uint32_t *parent_node;
	VEC(uint32_t) near, far;
	VEC(struct topo_order_place) moving;
	/* nodes that changed places since somebody last emptied this, each once */
	VEC(uint32_t) moved;
	bool *has_moved;
	VEC(int32_t) reasons; /* of the last cycle: literals of its edges */
	uint64_t moves;	      /* nodes visited, ever */
};

void topo_order_make(struct topo_order *total, const struct order_index *index,
		     const struct closure *closure);
void topo_order_free(struct topo_order *total);

/* No edges; the first inside[t] nodes of each thread in recorded order, the cut, the others. */
void topo_order_reset(struct topo_order *total, const uint32_t *inside);

/* False, with `reasons`, when b must come before a. Otherwise the order now has a before b. */
bool topo_order_add(struct topo_order *total, uint32_t a, uint32_t b, int32_t literal);
void topo_order_remove_last(struct topo_order *total);

void topo_order_forget_moved(struct topo_order *total);

static inline bool topo_order_before(const struct topo_order *total, uint32_t a, uint32_t b)
{
	return total->label[a] < total->label[b];
}

static inline bool topo_order_is_inside(const struct topo_order *total, uint32_t node)
{
	return total->label[node] < total->label[total->cut];
}

/* The first node of the order, or the cut if nothing is inside. */
static inline uint32_t topo_order_first(const struct topo_order *total)
{
	return total->next[total->cut + 1];
}

#endif
