/*
 * GoodLock: threads that take locks in opposite order, found in their lock trees.
 *
 * Havelund, "Using Runtime Analysis to Guide Model Checking of Java Programs" (SPIN 2000), section
 * 3.2, compares trees two by two; here it is any number of threads, as that section asks for at its
 * end. A conflict is a cycle of nodes, each of another thread and each taken by an operation that
 * waits, such that
 *
 *   - each wants a lock that is above the next one: that thread holds it, and not both for reading;
 *   - no two have a lock above them in common (held for reading by both does not count). Such a
 *     gate lock lets only one of them in at a time. In figure 10 these are the marks.
 *
 * For two threads this is the paper's rule. Whether the threads can be there at the same time is not
 * asked: creation and joins are not looked at, as in the paper. That is why this only warns.
 */
#ifndef PREDICT_WARNINGS_GOODLOCK_H
#define PREDICT_WARNINGS_GOODLOCK_H

#include "predict/warnings/lock_tree.h"

struct goodlock_options {
	uint32_t longest; /* threads in a cycle, at most; 0: no limit */
	uint64_t steps;	  /* of the search; 0: GOODLOCK_STEPS */
};
#define GOODLOCK_STEPS 10000000

/*
 * Tells each conflict, once: its nodes in the order of the cycle, that of the first tree in front.
 * Short ones come first. False: there were too many steps, more may be there.
 */
bool goodlock_search(const struct lock_trees *trees, const struct goodlock_options *options,
		     void (*tell)(void *context, const uint32_t *nodes, size_t count),
		     void *context);

#endif
