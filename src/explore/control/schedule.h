/*
 * A schedule as a text that people can read and that outlives the build it was made with. Threads
 * are named by creator and child number, slices by the step at which they end and by that step's
 * name. The format is described in doc/report.md.
 */
#ifndef EXPLORE_CONTROL_SCHEDULE_H
#define EXPLORE_CONTROL_SCHEDULE_H

#include "explore/control/runner.h"
#include "trace/trace.h"

/* A step with its name (step_name.h). */
struct schedule_step {
	uint32_t thread;
	uint32_t step;	     /* its number in the run that the schedule was made from */
	char *name;	     /* NULL: not known, only the number is */
	uint64_t occurrence; /* from 1 */
};

struct schedule_choice {
	struct schedule_step at;
	uint32_t kind; /* enum control_choice_kind */
};

struct schedule {
	char *about; /* a line for people; may be NULL */
	char *expect; /* what it shows: "race", "deadlock", "lost-signal", "assertion", "crash" … */
	char *property; /* the property that it violates, with the formula; NULL: none */
	uint32_t formula;
	VEC(struct control_thread) threads;
	VEC(struct schedule_step) slices; /* slices: the thread runs until this step is done */
	/* a race: all threads stand before these at the same time */
	VEC(struct schedule_step) stops;
	VEC(struct schedule_step) ends; /* a deadlock: the last steps before the threads block */
	VEC(struct schedule_choice) choices;
	uint32_t options; /* enum control_option, as in a plan */
};
void schedule_free(struct schedule *schedule);

/*
 * Makes a schedule from a controlled run and its recording: choices come from the plan that the run
 * followed, stops and ends from its outcome.
 */
void schedule_make(struct schedule *schedule, const struct trace *recording,
		   const struct plan *plan, const struct outcome *outcome, const char *expect,
		   const char *about);

/* States that the schedule violates a formula of a property. */
void schedule_expect_property(struct schedule *schedule, const char *property, uint32_t formula);

bool schedule_write(const struct schedule *schedule, const char *path, struct err *err);
bool schedule_read(struct schedule *schedule, const char *path, struct err *err);

#endif
