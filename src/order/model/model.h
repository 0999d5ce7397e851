/*
 * The ordering problem: what a reordering of recorded events must respect. It consists of nodes,
 * edges, cells, locks, conditions and semaphores. A model is made from a window of a trace
 * (order/window/window.h), queried (query.h) and decided by the solver (order/solver/solve.h).
 * Nothing here knows addresses, sites or traces.
 *
 * The problem. A *schedule* is here a total order of all nodes and one additional node, the cut.
 * The nodes before the cut are *inside*: they are the feasible prefix that the solver looks for.
 * The nodes after the cut are *outside*: they do not happen, and only program order and edges
 * constrain them. In a query, "e is inside" is written e < ORDER_CUT, and "e is next" is written
 * previous(e) < ORDER_CUT < e.
 *
 * A schedule is feasible if these rules hold, all but the first for nodes inside only:
 *   edges       from < to for each edge and for program order (these hold outside, too)
 *   reads       the last write of the cell before the read has the read's value; if there is none,
 *               the cell's initial value. A read with a `writer` must read from this write. A node
 *               that reads and writes a cell (an atomic update) does not read from itself.
 *   sections    two sections of a lock, not both shared, do not overlap: one's release comes
 *               before the other's acquire. A section without `acquire` was entered before the
 *               window; a section without `release` is never left.
 *   fails       a failed try happens during a section of another thread that excludes it (a try
 *               that fails because of its own thread's section is not in the model)
 *   waits       for a wait that was signalled, there is a broadcast between its wait node and its
 *               woken node, or a signal that no other woken node uses
 *   semaphores  before each down: initial + posts > downs; at each failed try they are equal
 */
#ifndef ORDER_MODEL_MODEL_H
#define ORDER_MODEL_MODEL_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

#define ORDER_NONE UINT32_MAX
#define ORDER_CUT (UINT32_MAX - 1) /* the cut as a node, in query atoms */
#define ORDER_ANY (UINT32_MAX - 2) /* a read may read from any write of its value */

struct order_edge {
	uint32_t from, to;
};

/* Writes and reads of a cell are grouped by cell, in recorded order. */
struct order_write {
	uint32_t node, value;
};
struct order_read {
	uint32_t node, value;
	uint32_t writer; /* ORDER_ANY, a node, or ORDER_NONE: the initial value */
};
struct order_cell {
	uint32_t initial; /* a value; ORDER_NONE: unknown, different from each ORDER_ANY read */
	uint32_t write_start, write_count; /* range in `writes` */
	uint32_t read_start, read_count;   /* range in `reads` */
};

struct order_section {
	uint32_t acquire, release; /* nodes or ORDER_NONE */
	uint32_t thread;
	bool shared;
};
struct order_fail {
	uint32_t node;
	bool shared; /* a failed try to lock for reading: only an exclusive section explains it */
};
struct order_lock {
	/* range in `sections`, sorted by acquire in recorded order */
	uint32_t section_start, section_count;
	uint32_t fail_start, fail_count; /* range in `fails` */
};

enum order_wake {
	ORDER_WAKE_SIGNAL, /* returned 0: it was signalled */
	/* timed out, or was signalled before the window: may return at any time */
	ORDER_WAKE_FREE,
};
struct order_wait {
	/* nodes; ORDER_NONE: `wait` is before the window, `woken` is not in it */
	uint32_t wait, woken;
	uint32_t thread;
	uint8_t wake;  /* enum order_wake */
	bool timed;    /* a timed wait: never blocked forever */
	uint32_t used; /* the signal node that woke it in the recorded order, or ORDER_NONE */
};
struct order_signal {
	uint32_t node;
	bool broadcast;
};
struct order_condition {
	uint32_t wait_start, wait_count;     /* range in `waits` */
	uint32_t signal_start, signal_count; /* range in `signals` */
};

struct order_semaphore {
	uint32_t initial; /* its value at the start of the window */
	/* false: `initial` is a lower bound; no thread is reported as blocked by it */
	bool exact;
	uint32_t post_start, post_count; /* range in `posts`: nodes */
	uint32_t down_start, down_count; /* range in `downs`: nodes */
	uint32_t zero_start, zero_count; /* range in `zeros`: nodes of failed tries */
};

struct order_model {
	/* The nodes are numbered in recorded order. */
	uint32_t node_count, thread_count;
	VEC(uint32_t) thread;	    /* by node: its thread */
	VEC(uint32_t) position;	    /* by node: its position in its thread, from 0 */
	VEC(uint32_t) thread_start; /* thread_count + 1 offsets into thread_nodes */
	VEC(uint32_t) thread_nodes; /* all nodes, by thread, in program order */
	VEC(struct order_edge) edges;
	VEC(struct order_cell) cells;
	VEC(struct order_write) writes;
	VEC(struct order_read) reads;
	VEC(struct order_lock) locks;
	VEC(struct order_section) sections;
	VEC(struct order_fail) fails;
	VEC(struct order_condition) conditions;
	VEC(struct order_wait) waits;
	VEC(struct order_signal) signals;
	VEC(struct order_semaphore) semaphores;
	VEC(uint32_t) posts, downs, zeros;
};

/* Fills position, thread_start and thread_nodes from `thread`. */
void order_model_index(struct order_model *model);
void order_model_free(struct order_model *model);

/* Return the node before or after in program order, or ORDER_NONE. */
uint32_t order_model_previous(const struct order_model *model, uint32_t node);
uint32_t order_model_next(const struct order_model *model, uint32_t node);

/*
 * Is `inside`, a sequence of nodes, a feasible prefix? Its nodes of each thread must be the first
 * ones of the thread. This is a plain simulation for assertions and tests. The witnesses that are
 * reported to users are checked by src/check instead.
 */
bool order_model_accepts(const struct order_model *model, const uint32_t *inside, uint32_t count);

#endif
