/*
 * GoodLock: threads that take locks in opposite order, found in their lock trees.
 *
 * Havelund, "Using Runtime Analysis to Guide Model Checking of Java Programs" (SPIN 2000), section
 * 3.2, compares trees two by two. Here it is any number of threads, as that section asks for at its
 * end. A conflict is a cycle of nodes, each of another thread and each taken by an operation that
 * waits, such that
 *
 *   - each wants a lock that is above the next one: the next thread holds it, and not both for
 *     reading;
 *   - no two nodes have a lock above them in common (held for reading by both does not count).
 *     Such a gate lock lets only one thread in at a time. In figure 10 these are the marks.
 *
 * For two threads this is the paper's rule. As in the paper, creation and joins are ignored, so the
 * threads may never be there at the same time. That is why this is only a warning.
 */
#ifndef PREDICT_WARNINGS_GOODLOCK_H
#define PREDICT_WARNINGS_GOODLOCK_H

#include "predict/warnings/lock_tree.h"

struct goodlock_options {
	uint32_t longest; /* the largest number of threads in a cycle; 0: no limit */
	uint64_t steps;	  /* of the search; 0: GOODLOCK_STEPS */
};
#define GOODLOCK_STEPS 10000000

/*
 * Calls `report` once for each conflict, with its nodes in the order of the cycle, starting with
 * the first tree. Short cycles come first. Returns false if there were too many steps: there may be
 * more conflicts.
 */
bool goodlock_search(const struct lock_trees *trees, const struct goodlock_options *options,
		     void (*report)(void *context, const uint32_t *nodes, size_t count),
		     void *context);

#endif
