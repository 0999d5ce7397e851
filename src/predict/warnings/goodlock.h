/*
 * GoodLock: threads that take locks in opposite order, found in their lock trees.
 *
 * Havelund, "Using Runtime Analysis to Guide Model Checking of Java Programs" (SPIN 2000), section
 * 3.2, compares trees in pairs. This search compares any number of trees, as that section suggests
 * at its end. A conflict is a cycle of nodes such that
 *
 *   - each node belongs to another thread, and its lock was taken by an operation that waits;
 *   - the lock of each node is also above the next node in the cycle, so the next thread holds it
 *     while it waits; and not both threads hold or want it for reading;
 *   - no two nodes have a common lock above them, unless both threads hold it for reading. Such a
 *     gate lock lets only one thread in at a time. (These are the marks in the paper's figure 10.)
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
 * the node whose tree comes first. Short cycles come first. Returns false if there were too many
 * steps: there may be more conflicts.
 */
bool goodlock_search(const struct lock_trees *trees, const struct goodlock_options *options,
		     void (*report)(void *context, const uint32_t *nodes, size_t count),
		     void *context);

#endif
