/*
 * The waiters of a window that can be in a cycle, in groups. Members of a group differ only in when
 * they happen: they have the same thread, site, held locks and wanted resource. Tunç, Mathur,
 * Pavlogiannis and Viswanathan call this an abstract event ("Sound Dynamic Deadlock Prediction in
 * Linear Time", PLDI 2023).
 */
#ifndef PREDICT_DEADLOCK_WAITER_GROUP_H
#define PREDICT_DEADLOCK_WAITER_GROUP_H

#include "predict/deadlock/waiter.h"

#include "base/map.h"

struct waiter_group {
	uint32_t start, count; /* range in `members` */
};
struct resource_owner {
	uint64_t resource;
	uint32_t group;
};

struct waiter_groups {
	const struct waiters *waiters;
	uint32_t *owned_start; /* by waiter: start of its range in `owned`; one more at the end */
	/* resources that a waiter's thread has: locks, onces, and the thread itself */
	VEC(uint64_t) owned;
	uint32_t *members; /* waiters, sorted by group and then in program order */
	VEC(struct waiter_group) items;
	VEC(struct resource_owner) owners; /* sorted by resource */
	struct map first_owner;		   /* resource to position in owners */
};

/* With `every` each waiter is a group of its own. */
void waiter_groups_make(struct waiter_groups *groups, const struct waiters *waiters, bool every);
void waiter_groups_free(struct waiter_groups *groups);

const struct waiter *waiter_groups_first(const struct waiter_groups *groups, uint32_t group);

/*
 * The groups whose threads may have what the waiter wants. waiters_blocks() decides whether they
 * do.
 */
const struct resource_owner *waiter_groups_owners(const struct waiter_groups *groups,
						  const struct waiter *waiter, size_t *count);

#endif
