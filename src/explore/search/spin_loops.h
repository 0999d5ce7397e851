/*
 * Loops that do the same again and again, waiting for another thread: each round changes nothing, so
 * where between two rounds the others go on makes no difference. The systematic search counts
 * SPIN_LOOPS_ROUNDS of them and takes what comes behind as one with these; without that a loop that waits
 * has as many schedules as it may have rounds.
 *
 * A round: reads that see the same, locks taken and given back, tries that fail. What is not seen is
 * a counter in a register; a loop that gives up after more than SPIN_LOOPS_ROUNDS rounds is searched with
 * all of its rounds before, or none behind, what it waits for.
 */
#ifndef EXPLORE_SEARCH_SPIN_LOOPS_H
#define EXPLORE_SEARCH_SPIN_LOOPS_H

#include "explore/search/dpor_path.h"

#define SPIN_LOOPS_ROUNDS 3

/* Would this operation, were it next in the thread whose last node is `last`, be one round more? */
bool spin_loops_goes_on(const struct dpor_path *path, uint32_t last,
			const struct control_event *operation);

/* The node of the first round that counts as one with that of `node`: mostly `node` itself. */
uint32_t spin_loops_first(const struct dpor_path *path, uint32_t node);

#endif
