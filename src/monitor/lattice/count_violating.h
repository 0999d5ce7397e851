/*
 * How many complete runs violate. The number of runs to a cut does not say what states they are in, so
 * this is a walk of its own, with counts for each cut and set of states in which one run can be there
 * (of all machines together, so that runs that violate several are counted once for `any`).
 */
#ifndef MONITOR_LATTICE_COUNT_VIOLATING_H
#define MONITOR_LATTICE_COUNT_VIOLATING_H

#include "monitor/lattice/lattice.h"
#include "monitor/lattice/level_walk.h"

/*
 * `model` gives order, sets, pool and how the walk was cut short; `sets` are absorbing ones of the same
 * machines. Counts are appended to: by machine, and `any`. `ended`: states that are bad at an end count.
 * False: more than `memory` bytes are needed (0: any), or a machine failed (sets->failed).
 */
bool count_violating_runs(const struct level_walk *model, struct state_sets *sets, bool ended,
			  uint64_t memory, struct lattice_count *by_machine,
			  struct lattice_count *any);

#endif
