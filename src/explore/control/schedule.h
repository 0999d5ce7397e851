/*
 * A schedule in a form that people can read and that outlives the build from which it was made. A
 * thread is named by its creator and its child number. A slice is named by the step at which it
 * ends, with that step's name. doc/report.md describes the format.
 */
#ifndef EXPLORE_CONTROL_SCHEDULE_H
#define EXPLORE_CONTROL_SCHEDULE_H

#include "explore/control/runner.h"
#include "trace/trace.h"

/* A step with its name (step_name.h). */
struct schedule_step {
	uint32_t thread;
	uint32_t step;	     /* step number in the run from which the schedule was made */
	char *name;	     /* name of the step; NULL: only its number is known */
	uint64_t occurrence; /* counts steps of this name in the thread, from 1 */
};

struct schedule_choice {
	struct schedule_step at;
	uint32_t kind; /* enum control_choice_kind */
};

struct schedule {
	char *about; /* a comment line for the reader; may be NULL */
	char *expect; /* what it shows: "race", "deadlock", "lost-signal", "assertion", "crash" … */
	char *property; /* name of the violated property, or NULL */
	uint32_t formula;
	VEC(struct control_thread) threads;
	VEC(struct schedule_step) slices; /* the thread runs until this step is done */
	/* race: the threads stand before these steps at the same time */
	VEC(struct schedule_step) stops;
	VEC(struct schedule_step) ends; /* deadlock: the last step of each blocked thread */
	VEC(struct schedule_choice) choices;
	uint32_t options; /* bits of enum control_option, as in a plan */
};
void schedule_free(struct schedule *schedule);

/*
 * Makes a schedule from a controlled run and its recording. Choices come from the plan that the run
 * followed, stops and ends from the outcome.
 */
void schedule_make(struct schedule *schedule, const struct trace *recording,
		   const struct plan *plan, const struct outcome *outcome, const char *expect,
		   const char *about);

/* Makes the schedule say that it violates this formula of a property. */
void schedule_expect_property(struct schedule *schedule, const char *property, uint32_t formula);

bool schedule_write(const struct schedule *schedule, const char *path, struct err *err);
bool schedule_read(struct schedule *schedule, const char *path, struct err *err);

#endif
