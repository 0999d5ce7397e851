/*
 * Races in the sense of partial-order reduction: two operations that depend on each other, with
 * nothing in between, that could have come the other way round. Not to be mixed up with data races:
 * two acquires of one mutex race here.
 *
 * Abdulla, Aronis, Jonsson, Sagonas: "Optimal dynamic partial order reduction", POPL 2014: the
 * reversible races e ≾ e' and the initials I(v) of section 4, 5. For operations that wait (locks,
 * wake-ups, semaphores …): an event that e' needs in order to happen at all orders e' behind
 * itself but is no race with it and does not hide the races of what is before it. So of
 * acquire_A, release_A, acquire_B the two acquires race.
 */
#ifndef EXPLORE_SEARCH_REVERSIBLE_PAIR_H
#define EXPLORE_SEARCH_REVERSIBLE_PAIR_H

#include "explore/search/dpor_path.h"

struct reversible_pair_finder {
	use_list uses;
	VEC(uint32_t) conflicts; /* nodes that the operation depends on directly, last first */
	VEC(uint32_t) races;	 /* those of them that it races with */
	dpor_path_clock covered;
	VEC(uint32_t) first; /* for reversible_pair_initials: of each thread its first node in v */
	VEC(uint32_t) seen;  /* … and the threads that have one */
};
void reversible_pair_free(struct reversible_pair_finder *finder);

/*
 * What the operation of a thread that knows `before` (the thread's past) depends on and races with.
 * `events` are the transition's; it is not in the histories yet.
 */
void reversible_pair_find(struct reversible_pair_finder *finder, const struct dpor_path *path,
			  const struct control_event *events, size_t count,
			  const dpor_path_clock *before);

/*
 * For the race of node `earlier` with the operation that reversible_pair_find was called for: the initials of
 * v, what remains of the path behind `earlier` without what happened after it, and then the
 * operation. Into `initials`: their nodes, path->depth standing for the operation itself.
 */
typedef VEC(uint32_t) reversible_pair_nodes;
void reversible_pair_initials(struct reversible_pair_finder *finder, const struct dpor_path *path,
			      uint32_t earlier, uint32_t thread, const dpor_path_clock *before,
			      reversible_pair_nodes *initials);

#endif
