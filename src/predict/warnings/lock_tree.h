/*
 * Lock trees: for each thread in which nesting it takes locks. Havelund, "Using Runtime Analysis to
 * Guide Model Checking of Java Programs" (SPIN 2000), section 3.2, figures 8 and 9.
 *
 * A path from the root are the locks that a thread held at once, in the order in which it took them.
 * Where the paper's threads give locks up in the reverse order, here they may in any: the path is
 * always that of the locks that are still held. (A lock that is kept while one around it was given up
 * has a node further up as well; nobody waits there, `asked` is false.)
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
	uint32_t parent, child, last, next; /* first and last child, sibling; or LOCK_TREE_NONE */
	uint32_t lock;			    /* in `locks` of the trees */
	bool shared;			    /* for reading: another node than that for writing */
	bool asked;	    /* taken here by an operation that waits: not by a try alone */
	bool pending;	    /* that never came through: the recording ends there */
	struct event_id id; /* the first operation that took it here; if asked: that waits */
	uint8_t kind;
	uint64_t site;
	uint64_t count;		 /* how often it was taken here */
	size_t held, held_count; /* in `held`: what the thread held at `id`, outermost first */
};

struct lock_tree {
	uint32_t stream;      /* of the thread */
	uint32_t child, last; /* nodes below the root, or LOCK_TREE_NONE */
};

struct lock_trees {
	VEC(struct lock_tree) trees; /* by position of the thread's stream; most may be empty */
	VEC(struct lock_node) nodes; /* in the order in which they were made */
	VEC(struct finding_lock) held;
	VEC(uint64_t) locks;  /* by number: address; the same address again after the lock's end */
	struct map children;  /* parent or root, lock and mode: node */
	uint64_t events;      /* of the trace */
	VEC(char *) problems; /* what stopped streams before their end */
};

void lock_trees_make(struct lock_trees *trees, const struct trace *trace);
void lock_trees_free(struct lock_trees *trees);

/* The node behind `node` in the order of the trees: children before siblings; NONE at the end. */
uint32_t lock_trees_next(const struct lock_trees *trees, uint32_t node);

#endif
