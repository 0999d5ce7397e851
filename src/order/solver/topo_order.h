/*
 * A total order of all nodes and the cut, maintained while edges are added and removed.
 *
 * Adding an edge moves only nodes that must move: the source and its predecessors, as far as they
 * are after the edge's target in the current order. This is one half of Pearce & Kelly, "A dynamic
 * topological sort algorithm for directed acyclic graphs", 2006. In their algorithm the moved nodes
 * get each other's old positions. This would move the cut far away and bring unrelated nodes into
 * the prefix. Here the order is a linked list with labels: the nodes that move are inserted right
 * before the target, and all other nodes keep their order. Private to the solver.
 */
#ifndef ORDER_SOLVER_TOPO_ORDER_H
#define ORDER_SOLVER_TOPO_ORDER_H

#include "order/solver/closure.h"

struct topo_order_edge {
	uint32_t from, to;
	uint32_t in_next, out_next; /* the next edge into `to` and out of `from` */
	int32_t literal;	    /* the edge's reason; 0: the edge is certain */
};

struct topo_order_moving {
	uint64_t label;
	uint32_t node;
};

struct topo_order {
	const struct order_index *index;
	const struct closure *closure; /* the orders of nodes that are certain */
	uint32_t cut;		       /* the cut as a node: node_count */
	uint64_t *label;
	uint32_t *next, *previous; /* a ring; entry cut + 1 is its head */
	VEC(struct topo_order_edge) edges;
	uint32_t *in_first, *out_first;
	/* Number of the search. A mark in `seen` or `settled` is valid if it is this number. */
	uint32_t search;
	/* parent: the edge on which a node was reached, in `edges`; ORDER_NONE: one of the model */
	uint32_t *seen, *settled, *parent;
	uint32_t *parent_node;
	VEC(uint32_t) near, far;
	VEC(struct topo_order_moving) moving;
	/* the nodes that have moved since topo_order_forget_moved(), each once */
	VEC(uint32_t) moved;
	bool *has_moved;
	VEC(int32_t) reasons; /* the literals of the last cycle's edges */
	uint64_t moves;	      /* number of nodes visited by searches since the order was made */
};

void topo_order_make(struct topo_order *total, const struct order_index *index,
		     const struct closure *closure);
void topo_order_free(struct topo_order *total);

/*
 * Removes all edges. The order becomes: the first inside[t] nodes of each thread t, in recorded
 * order, then the cut, then the other nodes.
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
