/*
 * Executes a program repeatedly, each run along a plan and recorded. Confirming a finding and
 * following a schedule share this.
 */
#ifndef EXPLORE_CONTROL_RERUN_H
#define EXPLORE_CONTROL_RERUN_H

#include "explore/control/runner.h"
#include "trace/trace.h"

#include <limits.h>

struct rerun_options {
	char **program;	       /* NULL-terminated words */
	const char *directory; /* working directory of the program; NULL: the current one */
	double seconds;	       /* for one run; 0: the runner's default */
	bool quiet;	       /* the program's output goes to /dev/null, otherwise to stderr */
	const volatile int *stop;
	const char *keep; /* where the recording that shows the finding goes; NULL: nowhere */
	/* As in runner.h. If it is set, plans get CONTROL_HOLD. */
	void (*on_held)(void *context, int pid, const struct control *control);
	void *context;
};

struct rerun {
	struct rerun_options options;
	struct runner *session;
	char directory[PATH_MAX - 64]; /* our own, for recordings */
	char recording[PATH_MAX];
	/* of the last run */
	struct outcome outcome;
	struct trace *trace;
};

bool rerun_open(struct rerun *rerun, const struct rerun_options *options, struct err *err);
void rerun_close(struct rerun *rerun);

/* Returns false if the program cannot be run or if we are to stop (rerun_is_stopped()). */
bool rerun_run(struct rerun *rerun, const struct plan *plan, struct err *err);
bool rerun_is_stopped(const struct rerun *rerun);

/*
 * Runs the plan of the last run `times` more times and compares the logs: every operation, in the
 * same order, of the same thread, at the same site, on the same address, with the same value.
 * Returns false if a run differs; `err` says where.
 */
bool rerun_repeat(struct rerun *rerun, const struct plan *plan, unsigned times, struct err *err);

/*
 * Moves the recording of the last run away, so that the next run does not overwrite it, and opens
 * it. Returns NULL if it cannot be read.
 */
struct trace *rerun_keep(struct rerun *rerun, unsigned name);

/* Moves the recording of the last run, which stays open, to options.keep, if that is given. */
bool rerun_save(struct rerun *rerun, struct err *err);

/* Closes the recording of the last run. */
void rerun_drop(struct rerun *rerun);

#endif
