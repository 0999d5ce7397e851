/* Maps the steps of a schedule to those of another build of the program. */
#ifndef EXPLORE_CONTROL_SCHEDULE_MAP_H
#define EXPLORE_CONTROL_SCHEDULE_MAP_H

#include "explore/control/schedule.h"

struct mapped_step {
	const struct schedule_step *step;
	/* the step in this build, as far as is known; at first the schedule's number */
	uint32_t at;
	uint64_t site; /* 0: not known */
	bool known;    /* the last recording has a step of this name */
};

struct schedule_map {
	/* the steps of slices, stops, ends and choices, in this order */
	VEC(struct mapped_step) steps;
	size_t stops, ends, choices; /* where each of them starts */
};

void schedule_map_open(struct schedule_map *map, const struct schedule *schedule);
void schedule_map_close(struct schedule_map *map);

/* Looks the steps up in the recording of a run. Returns true if some of them changed. */
bool schedule_map_update(struct schedule_map *map, const struct trace *recording);

#endif
