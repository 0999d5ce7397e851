/*
 * The waiters of a window that can be in a cycle, in groups: members of a group differ in nothing
 * but when they come. They have the same thread, place, locks held and wanted: an abstract event in
 * the words of Tunç, Mathur, Pavlogiannis and Viswanathan, "Sound Dynamic Deadlock Prediction in
 * Linear Time" (PLDI 2023).
 */
#ifndef PREDICT_DEADLOCK_WAITER_GROUP_H
#define PREDICT_DEADLOCK_WAITER_GROUP_H

#include "predict/deadlock/waiter.h"

#include "base/map.h"

struct waiter_group {
	uint32_t start, count; /* in members */
};
struct waiter_group_owner {
	uint64_t thing;
	uint32_t group;
};

struct groups {
	const struct waiters *waiters;
	uint32_t *had_start; /* a waiter's part of `had`; one more at the end */
	VEC(uint64_t) had;   /* things: locks, onces, being a thread */
	uint32_t *members;   /* waiters, by group, in program order */
	VEC(struct waiter_group) items;
	VEC(struct waiter_group_owner) owners; /* by thing */
	struct map first_owner;		       /* thing: position in owners */
};

/* With `every` each waiter is a group of its own. */
void groups_make(struct groups *groups, const struct waiters *waiters, bool every);
void groups_free(struct groups *groups);

const struct waiter *groups_first(const struct groups *groups, uint32_t group);

/* Those that have what the waiter wants, in some way: waiters_blocks decides. */
const struct waiter_group_owner *groups_owners(const struct groups *groups,
					       const struct waiter *waiter, size_t *count);

#endif
