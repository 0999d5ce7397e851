/*
 * `sooth explore`, from the first run to what failed: what its parts share. explore_program.c runs the
 * program and searches, explore_failures.c repeats what failed.
 */
#ifndef PIPELINE_EXPLORE_PROGRAM_H
#define PIPELINE_EXPLORE_PROGRAM_H

#include "pipeline/explore_report.h"
#include "pipeline/property_judge.h"
#include "explore/search/hints.h"

#include <limits.h>

/* A failure that no run with kernel threads showed. */
struct explore_program_doubt {
	char *text; /* what it was */
	uint64_t execution;
};

struct explore_program {
	/* in */
	char **program;
	uint64_t budget, seed;
	double seconds;
	bool all, json, verbose;
	enum session_mode mode;
	const char *keep;		  /* -o */
	const char *save;		  /* --save */
	struct property_files properties; /* -p: each execution is recorded and judged by them */
	/* how it goes */
	char directory[PATH_MAX]; /* for recordings */
	const volatile int *stop;
	struct control_thread *threads;
	uint32_t thread_count;
	struct hints hints;
	struct explore *explore;
	struct session *session;
	struct property_judge judging;
	double run_seconds; /* for one execution */
	char *traced;	    /* the session's executions are recorded there; NULL: they are not */
	bool terminal;
	bool went_on; /* with kernel threads, after a failure that fibers alone showed */
	/* out */
	uint64_t extra; /* runs to minimise and to confirm */
	size_t saved;	/* schedules */
	VEC(struct explore_report) found;
	VEC(struct explore_program_doubt) doubts;
};

extern const char *const explore_program_modes[]; /* by enum session_mode, as --mode has them */
#define EXPLORE_PROGRAM_MODES 4

/* "DIRECTORY/NAME-NUMBER.sooth"; to be freed. */
char *explore_program_trace_name(const struct explore_program *x, const char *name, size_t number);

/* With the threads that are known so far. */
struct session *explore_program_open_session(const struct explore_program *x,
					     enum session_mode mode, const char *trace,
					     struct err *err);

/* What runs a session's program, and with -p judges what it recorded. */
struct executor *explore_program_executor(struct explore_program *x, struct session *session,
					  const char *trace);

/* Makes the first run and searches until something fails. False: it cannot be run. */
bool explore_program_start(struct explore_program *x, struct err *err);

/* Goes on after a failure that was an artefact of the mode, with threads of the kernel. */
bool explore_program_go_on(struct explore_program *x, struct err *err);

/* bank.schedule, bank-2.schedule …, or as --save says: for the next one. To be freed. */
char *explore_program_schedule_name(const struct explore_program *x);

/*
 * A run that violates a property, or of which another order does: such orders are run, told as
 * confirmed if they show it, and saved.
 */
void explore_program_confirm_violations(struct explore_program *x, struct explore_report *explored);

/* Repeats what failed and was not told yet: into `found` or `doubts`. */
bool explore_program_tell_failures(struct explore_program *x, struct err *err);

#endif
