/*
 * A region whose atomicity another thread breaks. It is examined from the start of its window on
 * (atomicity_facts.c): which locks the threads hold at its events, and whether the region's thread
 * can know of the remote accesses.
 */
#ifndef CHECK_ATOMICITY_H
#define CHECK_ATOMICITY_H

#include "check/play.h"

struct checker_held_lock {
	uint64_t lock, index; /* `index`: the event of `stream` since which the thread holds it */
	uint32_t stream;
	bool writes;
};
typedef VEC(struct checker_held_lock) checker_held_locks;

struct checker_broken_region {
	const struct checker_play *play;
	uint32_t l1, r1, r2, l2; /* numbers of events in the window */
	checker_held_locks locks_at_l1, locks_at_r1, locks_at_r2, locks_at_l2;
};

/* Fills in the locks that are held at the four events. */
void checker_broken_region_find_locks(struct checker_broken_region *region);
void checker_broken_region_close(struct checker_broken_region *region);

/*
 * Do two threads access the byte while they hold the lock? Usually the window shows it. If not, the
 * whole recording is searched, which costs one pass per lock.
 */
bool checker_broken_region_is_guarded(const struct checker_broken_region *region, uint64_t lock,
				      uint64_t address);

/*
 * Can the region's thread know of r2? That is: is there a chain from r2 to the last event before l2
 * in that thread? Its links are program order, thread creations, operations that wait, reads of
 * what another thread wrote, and orders that must be kept.
 */
bool checker_broken_region_is_known(const struct checker_broken_region *region);

#endif
