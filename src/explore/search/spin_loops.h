/*
 * Loops in which a thread does the same again and again while it waits for another thread. A round
 * of such a loop changes nothing, so it does not matter between which two rounds the other threads
 * run. The systematic search distinguishes SPIN_LOOPS_ROUNDS rounds and treats every later round
 * like the last of these. Otherwise a waiting loop would have as many schedules as it can have
 * rounds.
 *
 * A round consists of reads that see the same values, of acquires and releases of locks, and of
 * tries that fail. A counter in a register is not visible. So if a loop gives up after more than
 * SPIN_LOOPS_ROUNDS rounds, the search misses the runs in which the event for which it waits comes
 * between two of its later rounds.
 */
#ifndef EXPLORE_SEARCH_SPIN_LOOPS_H
#define EXPLORE_SEARCH_SPIN_LOOPS_H

#include "explore/search/dpor_path.h"

#define SPIN_LOOPS_ROUNDS 3

/* Would `operation`, as the next one after node `last` of its thread, belong to another round? */
bool spin_loops_is_round(const struct dpor_path *path, uint32_t last,
			 const struct control_event *operation);

/*
 * If `node` is in a later round of a waiting loop, returns the same transition in the round that
 * stands for all later rounds. Otherwise returns `node` itself.
 */
uint32_t spin_loops_first(const struct dpor_path *path, uint32_t node);

#endif
