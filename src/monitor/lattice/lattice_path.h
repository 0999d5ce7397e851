/*
 * Runs to cuts. Levels keep no pointers to where a cut came from: when a run is wanted the lattice
 * below its end is walked again, with levels kept, and then backwards from the end. If they are more than
 * `memory` allows, every second, fourth … is kept and the gaps are walked once more; so it costs one
 * more walk through what lies below the ends, or a few.
 */
#ifndef MONITOR_LATTICE_LATTICE_PATH_H
#define MONITOR_LATTICE_LATTICE_PATH_H

#include "monitor/lattice/level_walk.h"

struct lattice_path_target {
	uint32_t machine;
	uint32_t
		column; /* whose next event makes it bad; LATTICE_PATH_END: the state is bad at an end */
	uint32_t *cut;	/* the cut before that; used up */
	uint64_t level; /* its events */
	uint32_t *run;	/* filled: columns of the steps to the cut, `level` of them */
	/* inside */
	uint64_t at;
	uint32_t state;
	bool begun;
};
#define LATTICE_PATH_END UINT32_MAX

/* All at once. `model` gives order, sets, pool and how the walk was cut short; it is not walked. */
void lattice_path_find(const struct level_walk *model, struct lattice_path_target *targets,
		       size_t count, uint64_t memory);

#endif
