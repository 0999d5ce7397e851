/*
 * A torn region, once more from the start of its window (atomicity_look.c): who held which locks
 * at its events, and whether its thread can know of what came in between.
 */
#ifndef CHECK_ATOMICITY_H
#define CHECK_ATOMICITY_H

#include "check/play.h"

struct checker_grip {
	uint64_t lock, index; /* index: the event of `stream` since which */
	uint32_t stream;
	bool writes;
};
typedef VEC(struct checker_grip) checker_grips;

struct checker_tear {
	const struct checker_play *play;
	uint32_t l1, r1, r2, l2; /* numbers in the window */
	checker_grips at_l1, at_r1, at_r2, at_l2;
};

/* Fills in the locks. */
void checker_tear_look(struct checker_tear *tear);
void checker_tear_close(struct checker_tear *tear);

/*
 * Do two threads access the byte while they hold the lock? Most often the window shows it; if not,
 * the whole recording is asked, which costs a pass over it for each lock.
 */
bool checker_tear_is_guarded(const struct checker_tear *tear, uint64_t lock, uint64_t address);

/*
 * Is there a chain from r2 to what the thread of l2 did last: of the order in threads, creations, what
 * waits, and reads of what another thread wrote?
 */
bool checker_tear_is_learned(const struct checker_tear *tear);

#endif
