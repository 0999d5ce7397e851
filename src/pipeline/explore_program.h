/*
 * `sooth explore`: runs a program in many schedules until one fails, then minimises the failure and
 * repeats it with kernel threads. explore_program.c runs the program and searches,
 * explore_failures.c repeats failures, explore_violations.c confirms violations of properties.
 */
#ifndef PIPELINE_EXPLORE_PROGRAM_H
#define PIPELINE_EXPLORE_PROGRAM_H

#include "explore/search/hints.h"
#include "pipeline/explore_report.h"
#include "pipeline/property_judge.h"

#include <limits.h>

/* A failure that was seen with fibers only: no run with kernel threads repeated it. */
struct unrepeated_failure {
	char *text;
	uint64_t execution;
};

struct explore_program {
	/* the request */
	char **program;
	uint64_t budget, seed;
	double seconds;
	bool all, json, verbose;
	enum runner_mode mode;
	const char *keep;		  /* -o */
	const char *save;		  /* --save */
	struct property_files properties; /* -p: each execution is recorded and checked */
	/* the state of the search */
	char directory[PATH_MAX]; /* for recordings */
	const volatile int *stop;
	struct control_thread *threads;
	uint32_t thread_count;
	struct hints hints;
	struct explore *explore;
	struct runner *session;
	struct property_judge judging;
	double run_seconds; /* time limit of one execution */
	char *traced;	    /* where the session's executions are recorded; NULL: they are not */
	bool terminal;
	bool fell_back; /* to kernel threads, after a failure that only fibers showed */
	/* the results */
	uint64_t extra; /* runs to minimise and to confirm */
	size_t saved;	/* schedules */
	VEC(struct explore_report) found;
	VEC(struct unrepeated_failure) unrepeated;
};

extern const char *const explore_program_modes[]; /* by enum runner_mode; ends with NULL */

void explore_program_init(struct explore_program *x);

/* Reads the property files and makes a directory. Returns false after a message. */
bool explore_program_open(struct explore_program *x);

/*
 * Makes the first run, searches, and repeats the failures: `found` and `unrepeated` have them.
 * Returns false, with the reason in `err`, if the program cannot be run.
 */
bool explore_program_run(struct explore_program *x, struct err *err);

/* Removes the recordings, except the one that -o keeps. */
void explore_program_close(struct explore_program *x);

/* ---- between the parts ----------------------------------------------------------------------- */

/* "DIRECTORY/NAME-NUMBER.sooth"; to be freed. */
char *explore_program_trace_name(const struct explore_program *x, const char *name, size_t number);

/* Opens a session that knows the threads that were seen so far. */
struct runner *explore_program_open_session(const struct explore_program *x, enum runner_mode mode,
					    const char *trace, struct err *err);

/* Runs the session's program and, with -p, checks the properties on each recording. */
struct executor *explore_program_executor(struct explore_program *x, struct runner *session,
					  const char *trace);

/* "bank.schedule", "bank-2.schedule" or as --save says: for the next failure. To be freed. */
char *explore_program_schedule_name(const struct explore_program *x);

/* Saves a schedule. Returns the file's name, to be freed; NULL after a message. */
char *explore_program_save(struct explore_program *x, const struct schedule *schedule);

/*
 * For a run that violates a property itself or in another order of its events: runs such orders,
 * and saves those that show the violation.
 */
void explore_program_confirm_violations(struct explore_program *x, struct explore_report *explored);

/* Minimises and repeats the new failures of the search. */
bool explore_program_repeat_failures(struct explore_program *x, struct err *err);

#endif
