/*
 * Lock trees: how each thread nests its locks. Havelund, "Using Runtime Analysis to Guide Model
 * Checking of Java Programs" (SPIN 2000), section 3.2, figures 8 and 9.
 *
 * A path from the root is a set of locks that a thread held at once, in the order in which it took
 * them. In the paper, threads release locks in reverse order. Here they may use any order: the path
 * always consists of the locks that are still held. (A lock that is kept when one around it is
 * released gets another node further up. No thread waits at that node: `asked` is false.)
 */
#ifndef PREDICT_WARNINGS_LOCK_TREE_H
#define PREDICT_WARNINGS_LOCK_TREE_H

#include "base/map.h"
#include "base/vec.h"
#include "order/window/window.h"
#include "predict/driver/finding.h"

#define LOCK_TREE_NONE UINT32_MAX

struct lock_node {
	uint32_t tree;
	/* parent, first and last child, next sibling; or LOCK_TREE_NONE */
	uint32_t parent, child, last, next;
	uint32_t lock; /* number of the lock: position in `locks` of the trees */
	bool shared;   /* taken for reading; taking it for writing is another node */
	bool asked;    /* taken here by an operation that waits, not only by a try */
	bool pending;  /* never granted: the recording ends there */
	/* the first operation that took it here; if `asked`: the first that waits */
	struct event_id id;
	uint8_t kind;
	uint64_t site;
	uint64_t count;		 /* how often it was taken here */
	size_t held, held_count; /* in `held`: what the thread held at `id`, outermost first */
};

struct lock_tree {
	uint32_t stream;      /* number of the thread's stream */
	uint32_t child, last; /* first and last node below the root, or LOCK_TREE_NONE */
};

struct lock_trees {
	VEC(struct lock_tree) trees; /* by position of the thread's stream; most may be empty */
	VEC(struct lock_node) nodes; /* in the order in which they were created */
	VEC(struct finding_lock) held;
	/* by number: address; a new lock at the same address has another number */
	VEC(uint64_t) locks;
	struct map children;  /* key of parent (or tree), lock and mode to node */
	uint64_t events;      /* number of events in the trace */
	VEC(char *) problems; /* why streams could not be read to their end */
};

void lock_trees_make(struct lock_trees *trees, const struct trace *trace);
void lock_trees_free(struct lock_trees *trees);

/* The next node, children before siblings; LOCK_TREE_NONE at the end. */
uint32_t lock_trees_next(const struct lock_trees *trees, uint32_t node);

#endif
