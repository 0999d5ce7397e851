/* Maps the steps of a schedule to those of another build of the program. */
#ifndef EXPLORE_CONTROL_SCHEDULE_MAP_H
#define EXPLORE_CONTROL_SCHEDULE_MAP_H

#include "explore/control/schedule.h"

struct mapped_step {
	const struct schedule_step *step;
	/*
	 * step number in this build: found, estimated or, before the first run, that of the
	 * schedule
	 */
	uint32_t at;
	uint64_t site; /* site of the step in the last recording; 0: not known */
	bool known;    /* the last recording has a step of this name */
};

struct schedule_map {
	/* one for each step of the slices, stops, ends and choices, in this order */
	VEC(struct mapped_step) steps;
	size_t stops, ends, choices; /* index in `steps` of the first stop, end and choice */
};

void schedule_map_open(struct schedule_map *map, const struct schedule *schedule);
void schedule_map_close(struct schedule_map *map);

/* Looks up all steps in the recording of a run. Returns true if the number of a step changed. */
bool schedule_map_update(struct schedule_map *map, const struct trace *recording);

#endif
