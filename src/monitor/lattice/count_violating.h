/*
 * Counts the complete runs that violate a formula. The number of runs to a cut does not say in
 * which monitor states they are. So this is a separate walk, with a count for each cut and each set
 * of states that one run can have there. A set contains states of all machines, so that a run that
 * violates several of them is counted once in `any`.
 */
#ifndef MONITOR_LATTICE_COUNT_VIOLATING_H
#define MONITOR_LATTICE_COUNT_VIOLATING_H

#include "monitor/lattice/lattice.h"
#include "monitor/lattice/level_walk.h"

/*
 * `model` provides the order, the sets, the pool and the pruning of the walk; `sets` are absorbing
 * sets of the same machines. Adds to the counts by machine and to `any`. With `ended`, states that
 * are bad at the end count too. Returns false if more than `memory` bytes are needed (0: no limit)
 * or a machine failed (sets->failed).
 */
bool count_violating_runs(const struct level_walk *model, struct state_sets *sets, bool ended,
			  uint64_t memory, struct lattice_count *by_machine,
			  struct lattice_count *any);

#endif
