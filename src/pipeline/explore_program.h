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

/* A failure that only fibers showed: no run with kernel threads repeated it. */
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
	bool strict; /* a search that is not complete is an error */
	enum runner_mode mode;
	const char *keep;		  /* name for the recording (-o) */
	const char *save;		  /* name for the schedule (--save) */
	struct property_files properties; /* -p; with it, each execution is recorded and checked */
	/* state of the search */
	char directory[PATH_MAX]; /* temporary, for recordings */
	const volatile int *stop;
	struct control_thread *threads;
	uint32_t thread_count;
	struct hints hints;
	struct explore *explore;
	struct runner *session;
	struct property_judge judging;
	double run_seconds; /* time limit of one execution */
	char *traced;	    /* where executions are recorded; NULL: they are not */
	bool terminal;
	bool fell_back; /* uses kernel threads, after a failure that only fibers showed */
	/* results */
	uint64_t extra; /* number of runs for minimising and confirming */
	size_t saved;	/* number of schedules that were saved */
	VEC(struct explore_report) found;
	VEC(struct unrepeated_failure) unrepeated;
};

extern const char *const explore_program_modes[]; /* names of enum runner_mode; ends with NULL */

void explore_program_init(struct explore_program *x);

/* Reads the property files and makes the temporary directory. Returns false after a message. */
bool explore_program_open(struct explore_program *x);

/*
 * Makes the first run, searches, and repeats the failures. The failures are in `found` and
 * `unrepeated`. Returns false if the program cannot be run; `err` says why.
 */
bool explore_program_run(struct explore_program *x, struct err *err);

/* Removes the recordings, except the one that -o keeps, and frees everything. */
void explore_program_close(struct explore_program *x);

/* ---- between the parts ----------------------------------------------------------------------- */

/* Returns "DIRECTORY/NAME-NUMBER.sooth"; the caller frees it. */
char *explore_program_trace_name(const struct explore_program *x, const char *name, size_t number);

/*
 * Opens a session that knows the threads of earlier runs. `trace`: where to record; NULL: nowhere.
 */
struct runner *explore_program_open_session(const struct explore_program *x, enum runner_mode mode,
					    const char *trace, struct err *err);

/*
 * Returns an executor that runs the session's program and, with -p, checks the properties on each
 * recording.
 */
struct executor *explore_program_executor(struct explore_program *x, struct runner *session,
					  const char *trace);

/* Saves a schedule. Returns the file's name, which the caller frees; NULL after a message. */
char *explore_program_save(struct explore_program *x, const struct schedule *schedule);

/*
 * Confirms the violations that were found in the orders of one run's events: runs the program along
 * the witness of each, and saves the schedules that show a violation.
 */
void explore_program_confirm_violations(struct explore_program *x, struct explore_report *explored);

/* Minimises, repeats and reports the failures that the search has found since the last call. */
bool explore_program_repeat_failures(struct explore_program *x, struct err *err);

#endif
