/* Where the steps of a schedule are in a build that it was not made with. */
#ifndef EXPLORE_CONTROL_SCHEDULE_MAP_H
#define EXPLORE_CONTROL_SCHEDULE_MAP_H

#include "explore/control/schedule.h"

struct schedule_spot {
	const struct schedule_step *step;
	uint32_t at; /* the step in this build, as far as is known; at first that of the schedule */
	uint64_t site; /* 0: not known */
	bool known;    /* the last recording has it by its name */
};

struct schedule_map {
	/* those of runs, stops, ends and choices, in this order */
	VEC(struct schedule_spot) spots;
	size_t stops, ends, choices; /* where each of them starts */
};

void schedule_map_open(struct schedule_map *map, const struct schedule *schedule);
void schedule_map_close(struct schedule_map *map);

/* Looks the steps up in the recording of a run. True: some are elsewhere than was thought. */
bool schedule_map_learn(struct schedule_map *map, const struct trace *recording);

#endif
