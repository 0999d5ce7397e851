/*
 * Races in the sense of partial-order reduction: two dependent operations, with nothing in between,
 * that could have come in the other order. These are not data races: two acquires of one mutex are
 * a race here.
 *
 * Abdulla, Aronis, Jonsson, Sagonas: "Optimal dynamic partial order reduction", POPL 2014, sections
 * 4 and 5: the reversible races e ≾ e' and the initials I(v). Operations that wait (locks,
 * wake-ups, semaphores …) need an extension: an event without which e' could not happen at all is
 * ordered before e', but it is not a race with e', and it does not hide the races of earlier
 * events. So in acquire_A, release_A, acquire_B, the two acquires are a race.
 */
#ifndef EXPLORE_SEARCH_REVERSIBLE_PAIR_H
#define EXPLORE_SEARCH_REVERSIBLE_PAIR_H

#include "explore/search/dpor_path.h"

struct reversible_pair_finder {
	use_list uses;
	VEC(uint32_t) conflicts; /* nodes on which the operation depends directly, last first */
	VEC(uint32_t) races;	 /* those of `conflicts` that are races with the operation */
	dpor_path_clock covered;
	/* for reversible_pair_initials(): by thread, its first node in v */
	VEC(uint32_t) first;
	VEC(uint32_t) seen; /* threads with an entry in `first` */
};
void reversible_pair_free(struct reversible_pair_finder *finder);

/*
 * Finds the nodes on which an operation depends, and those with which it has a race. `events`: the
 * transition, which is not in the histories yet. `before`: the clock of its thread's past.
 */
void reversible_pair_find(struct reversible_pair_finder *finder, const struct dpor_path *path,
			  const struct control_event *events, size_t count,
			  const dpor_path_clock *before);

/*
 * Finds the initials of v for the race between node `earlier` and the operation for which
 * reversible_pair_find() was called last. v consists of the nodes that follow `earlier` in the
 * path without depending on it, and then the operation. Stores the nodes of the initials;
 * path->depth stands for the operation.
 */
typedef VEC(uint32_t) reversible_pair_nodes;
void reversible_pair_initials(struct reversible_pair_finder *finder, const struct dpor_path *path,
			      uint32_t earlier, uint32_t thread, const dpor_path_clock *before,
			      reversible_pair_nodes *initials);

#endif
