/* Following a schedule, on the build it was made with or on another of the same source. */
#ifndef EXPLORE_SCHEDULE_FOLLOW_H
#define EXPLORE_SCHEDULE_FOLLOW_H

#include "explore/effect.h"
#include "explore/rerun.h"
#include "explore/schedule.h"

enum schedule_verdict {
	SCHEDULE_SHOWN,	   /* what it expects */
	SCHEDULE_DIVERGED, /* `why` */
	SCHEDULE_CANNOT,   /* it cannot be run: `why` */
};

struct schedule_result {
	enum schedule_verdict verdict;
	char *why;
	unsigned runs;	      /* executions */
	struct effect effect; /* how the last of them ended */
	struct control_stop met[2];
};
void schedule_result_free(struct schedule_result *result);

/* What shows it is run `times` times in all; if a run is not as the first one, that is a divergence. */
void schedule_follow(const struct schedule *schedule, const struct rerun_options *options,
		     unsigned times, struct schedule_result *result);

#endif
