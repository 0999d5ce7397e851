/* Follows a schedule, on the build it was made with or on another build of the same source. */
#ifndef EXPLORE_CONFIRM_SCHEDULE_FOLLOW_H
#define EXPLORE_CONFIRM_SCHEDULE_FOLLOW_H

#include "explore/control/run_outcome.h"
#include "explore/control/rerun.h"
#include "explore/control/schedule.h"
#include "spec/spec.h"

enum schedule_verdict {
	SCHEDULE_SHOWN,	   /* the run showed what the schedule expects */
	SCHEDULE_DIVERGED, /* `why` */
	SCHEDULE_CANNOT,   /* the program cannot be run: `why` */
};

struct schedule_result {
	enum schedule_verdict verdict;
	char *why;
	unsigned runs;		   /* executions */
	struct run_outcome effect; /* how the last of them ended */
	struct control_stop met[2];
};
void schedule_result_free(struct schedule_result *result);

/*
 * Follows the schedule. Once a run shows what is expected, it is run `times` times in all; a run
 * that differs from the first one is a divergence. A schedule that violates a property is judged by
 * `files`, which must contain that property.
 */
void schedule_follow(const struct schedule *schedule, const struct rerun_options *options,
		     unsigned times, struct spec_file *const *files, size_t file_count,
		     struct schedule_result *result);

#endif
