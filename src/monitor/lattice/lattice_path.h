/*
 * Finds runs to given cuts. Levels have no pointers to predecessors. To find a run, the lattice
 * below its end is walked again with all levels kept, and the run is traced backwards from its end.
 * If the levels take more than `memory`, only every second, fourth, … level is kept, and the gaps
 * are walked once more. So the lattice below the ends is walked once more, or a few times more.
 */
#ifndef MONITOR_LATTICE_LATTICE_PATH_H
#define MONITOR_LATTICE_LATTICE_PATH_H

#include "monitor/lattice/level_walk.h"

struct lattice_path_target {
	uint32_t machine;
	/* its next event makes the machine bad; LATTICE_PATH_END: the state is bad at the end */
	uint32_t column;
	uint32_t *cut;	/* the cut before that event; the search overwrites it */
	uint64_t level; /* number of events in the cut */
	uint32_t *run;	/* result: the columns of the `level` steps to the cut */
	/* internal: the run is traced back to level `at`, where the monitor state is `state` */
	uint64_t at;
	uint32_t state;
	bool begun;
};
#define LATTICE_PATH_END UINT32_MAX

/*
 * Finds the runs of all targets. `model` provides the order, the sets, the pool and the pruning of
 * the walk; it is not changed.
 */
void lattice_path_find(const struct level_walk *model, struct lattice_path_target *targets,
		       size_t count, uint64_t memory);

#endif
