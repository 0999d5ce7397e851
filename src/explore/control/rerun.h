/*
 * Executes a program repeatedly. Each run follows a plan and is recorded. Used to confirm findings
 * and to follow schedules.
 */
#ifndef EXPLORE_CONTROL_RERUN_H
#define EXPLORE_CONTROL_RERUN_H

#include "explore/control/runner.h"
#include "trace/trace.h"

#include <limits.h>

struct rerun_options {
	char **program;	       /* NULL-terminated words */
	const char *directory; /* working directory of the program; NULL: the current one */
	double seconds;	       /* time limit of one run; 0: the runner's default */
	bool quiet;	       /* the program's output goes to /dev/null, otherwise to stderr */
	const volatile int *stop;
	const char *keep; /* where rerun_save() moves the recording; NULL: nowhere */
	/* As in runner.h: called in runs whose plan has CONTROL_HOLD. */
	void (*on_held)(void *context, int pid, const struct control *control);
	void *context;
};

struct rerun {
	struct rerun_options options;
	struct runner *session;
	char directory[PATH_MAX - 64]; /* temporary, for the recordings */
	char recording[PATH_MAX];
	/* both of the last run */
	struct outcome outcome;
	struct trace *trace;
};

bool rerun_open(struct rerun *rerun, const struct rerun_options *options, struct err *err);
void rerun_close(struct rerun *rerun);

/*
 * Runs the plan and opens the recording. Returns false if the program cannot be run or if the user
 * interrupted it (rerun_is_stopped()).
 */
bool rerun_run(struct rerun *rerun, const struct plan *plan, struct err *err);
bool rerun_is_stopped(const struct rerun *rerun);

/*
 * Runs the plan of the last run `times` more times and compares the logs. All runs must have the
 * same operations in the same order: thread, site, address and value are equal. Returns false if a
 * run differs; `err` says where.
 */
bool rerun_repeat(struct rerun *rerun, const struct plan *plan, unsigned times, struct err *err);

/*
 * Opens the recording of the last run under another name, so that the next run does not overwrite
 * it. Returns NULL if it cannot be read.
 */
struct trace *rerun_keep(struct rerun *rerun, unsigned name);

/* Moves the recording of the last run to options.keep, if that is set. The recording stays open. */
bool rerun_save(struct rerun *rerun, struct err *err);

#endif
