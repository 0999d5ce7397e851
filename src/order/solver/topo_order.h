/*
 * A total order of all nodes and the cut, maintained while edges are added and removed.
 *
 * Adding an edge moves only the nodes that must move: those before its source that stand after its
 * target (one half of Pearce & Kelly, "A dynamic topological sort algorithm for directed acyclic
 * graphs", 2006). In their algorithm the moved nodes share out their old positions. That would
 * carry the cut far away and pull unrelated nodes into the prefix. Here the order is a linked list
 * with labels: the nodes that move are put right before the target, and no other node changes
 * sides. Private to the solver.
 */
#ifndef ORDER_SOLVER_TOPO_ORDER_H
#define ORDER_SOLVER_TOPO_ORDER_H

#include "order/solver/closure.h"

struct topo_order_edge {
	uint32_t from, to;
	uint32_t in_next, out_next; /* the next edge into `to` and out of `from` */
	int32_t literal;	    /* 0: holds without a reason */
};

struct topo_order_moving {
	uint64_t label;
	uint32_t node;
};

struct topo_order {
	const struct order_index *index;
	const struct closure *closure; /* edges that hold without a reason */
	uint32_t cut;		       /* the cut as a node: node_count */
	uint64_t *label;
	uint32_t *next, *previous; /* a ring through cut + 1 */
	VEC(struct topo_order_edge) edges;
	uint32_t *in_first, *out_first;
	/* A search. A mark counts if it equals the number of the search. */
	uint32_t search;
	/* parent: an index in `edges`, or ORDER_NONE for an edge of the model */
	uint32_t *seen, *settled, *parent;
	uint32_t *parent_node;
	VEC(uint32_t) near, far;
	VEC(struct topo_order_moving) moving;
	/* Nodes that have moved since topo_order_forget_moved(), each once. */
	VEC(uint32_t) moved;
	bool *has_moved;
	VEC(int32_t) reasons; /* the literals of the last cycle's edges */
	uint64_t moves;	      /* nodes visited since the order was made */
};

void topo_order_make(struct topo_order *total, const struct order_index *index,
		     const struct closure *closure);
void topo_order_free(struct topo_order *total);

/*
 * Resets to no edges, with the first inside[t] nodes of each thread in recorded order, then the
 * cut, then the other nodes.
 */
void topo_order_reset(struct topo_order *total, const uint32_t *inside);

/* Adds the edge and moves nodes to obey it. Returns false, and sets `reasons`, on a cycle. */
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

/* Returns the first node of the order, or the cut if no node is inside. */
static inline uint32_t topo_order_first(const struct topo_order *total)
{
	return total->next[total->cut + 1];
}

#endif
