/*
 * A schedule as a text that people can read and that outlives the build it was made with: threads by
 * how they came to be, runs by steps and by the places where they end. doc/report.md has the
 * format.
 */
#ifndef EXPLORE_CONTROL_SCHEDULE_H
#define EXPLORE_CONTROL_SCHEDULE_H

#include "explore/control/session.h"
#include "trace/trace.h"

/* A step by its name: see step_name.h. */
struct schedule_step {
	uint32_t thread;
	uint32_t step;	     /* in the run that the schedule is of */
	char *name;	     /* NULL: none is known, the number must do */
	uint64_t occurrence; /* from 1 */
};

struct schedule_choice {
	struct schedule_step at;
	uint32_t kind; /* enum control_choice_kind */
};

struct schedule {
	char *about; /* a line for people; may be NULL */
	char *expect; /* what it shows: "race", "deadlock", "lost-signal", "assertion", "crash" … */
	char *property; /* the property that it violates, and which formula; NULL: none */
	uint32_t formula;
	VEC(struct control_thread) threads;
	VEC(struct schedule_step) runs;	 /* each thread in turn goes on to behind that step */
	VEC(struct schedule_step) stops; /* a race: before these they stand at once */
	VEC(struct schedule_step) ends;	 /* a deadlock: before these they stay */
	VEC(struct schedule_choice) choices;
	uint32_t options; /* enum control_option, as in a plan */
};
void schedule_free(struct schedule *schedule);

/*
 * From a controlled run and what it recorded. `choices` of the plan that it followed; stops and ends
 * from its outcome.
 */
void schedule_make(struct schedule *schedule, const struct trace *recording,
		   const struct plan *plan, const struct outcome *outcome, const char *expect,
		   const char *about);

/* What it shows is a violation of a property's formula. */
void schedule_expect_property(struct schedule *schedule, const char *property, uint32_t formula);

bool schedule_write(const struct schedule *schedule, const char *path, struct err *err);
bool schedule_read(struct schedule *schedule, const char *path, struct err *err);

#endif
