/* Follows a schedule, with the build from which it was made or another build of the same source. */
#ifndef EXPLORE_CONFIRM_SCHEDULE_FOLLOW_H
#define EXPLORE_CONFIRM_SCHEDULE_FOLLOW_H

#include "explore/control/run_outcome.h"
#include "explore/control/rerun.h"
#include "explore/control/schedule.h"
#include "spec/spec.h"

enum schedule_verdict {
	SCHEDULE_SHOWN,	   /* the run showed what the schedule expects */
	SCHEDULE_DIVERGED, /* the runs did not show it; `why` explains */
	SCHEDULE_CANNOT,   /* the program cannot be run; `why` explains */
};

struct schedule_result {
	enum schedule_verdict verdict;
	char *why;
	unsigned runs;		   /* executions of the program */
	struct run_outcome effect; /* how the last run ended */
	struct control_stop met[2];
};
void schedule_result_free(struct schedule_result *result);

/*
 * Follows the schedule. After a run that shows what the schedule expects, repeats that run until
 * there are `times` such runs. A run that differs from the first of them is a divergence. If the
 * schedule violates a property, `files` must contain that property.
 */
void schedule_follow(const struct schedule *schedule, const struct rerun_options *options,
		     unsigned times, struct spec_file *const *files, size_t file_count,
		     struct schedule_result *result);

#endif
