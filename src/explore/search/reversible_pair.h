/*
 * Races in the sense of partial-order reduction: two dependent operations, with nothing in between,
 * that could have come in the other order. These are not data races: two acquires of one mutex race
 * here.
 *
 * Abdulla, Aronis, Jonsson, Sagonas: "Optimal dynamic partial order reduction", POPL 2014: the
 * reversible races e ≾ e' and the initials I(v) of sections 4 and 5. For operations that wait
 * (locks, wake-ups, semaphores …): an event that e' needs in order to happen at all is ordered
 * before e' but does not race with it, and it does not hide the races of earlier events. So of
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
	/* for reversible_pair_initials(): the first node of each thread in v */
	VEC(uint32_t) first;
	VEC(uint32_t) seen; /* … and the threads that have one */
};
void reversible_pair_free(struct reversible_pair_finder *finder);

/*
 * Finds the nodes that an operation depends on and races with. `before` is the clock of its
 * thread's past; `events` is the transition, which is not in the histories yet.
 */
void reversible_pair_find(struct reversible_pair_finder *finder, const struct dpor_path *path,
			  const struct control_event *events, size_t count,
			  const dpor_path_clock *before);

/*
 * For the race of node `earlier` with the operation that reversible_pair_find() was called for:
 * finds the initials of v, where v is the path after `earlier` without what happened after
 * `earlier`, followed by the operation. Stores their nodes in `initials`; path->depth stands for
 * the operation itself.
 */
typedef VEC(uint32_t) reversible_pair_nodes;
void reversible_pair_initials(struct reversible_pair_finder *finder, const struct dpor_path *path,
			      uint32_t earlier, uint32_t thread, const dpor_path_clock *before,
			      reversible_pair_nodes *initials);

#endif
