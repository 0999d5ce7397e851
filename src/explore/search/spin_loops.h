/*
 * Loops that do the same again and again while they wait for another thread. A round changes
 * nothing, so it does not matter between which two rounds the other threads run. The systematic
 * search counts SPIN_LOOPS_ROUNDS of them and treats later rounds as one with these. Otherwise a
 * waiting loop would have as many schedules as it may have rounds.
 *
 * A round consists of reads that see the same values, locks acquired and released, and tries that
 * fail. A counter in a register is not visible: a loop that gives up after more than
 * SPIN_LOOPS_ROUNDS rounds is searched with all of its rounds before, or none after, the event that
 * it waits for.
 */
#ifndef EXPLORE_SEARCH_SPIN_LOOPS_H
#define EXPLORE_SEARCH_SPIN_LOOPS_H

#include "explore/search/dpor_path.h"

#define SPIN_LOOPS_ROUNDS 3

/*
 * If this operation were next in the thread whose last node is `last`, would it be another round?
 */
bool spin_loops_is_round(const struct dpor_path *path, uint32_t last,
			 const struct control_event *operation);

/*
 * Returns the node of the first round that is treated as one with that of `node`: mostly `node`
 * itself.
 */
uint32_t spin_loops_first(const struct dpor_path *path, uint32_t node);

#endif
