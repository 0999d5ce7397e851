/*
 * A program that is executed again and again, each run along a plan and recorded: what confirming a
 * finding and following a schedule share.
 */
#ifndef EXPLORE_CONTROL_RERUN_H
#define EXPLORE_CONTROL_RERUN_H

#include "explore/control/session.h"
#include "trace/trace.h"

#include <limits.h>

struct rerun_options {
	char **program;	       /* NULL-terminated words */
	const char *directory; /* to run it in; NULL: this one */
	double seconds;	       /* for one run; 0: the session's own idea */
	bool quiet;	       /* the program's output goes to /dev/null, else to stderr */
	const volatile int *stop;
	const char
		*keep; /* where the recording goes that shows what is looked for; NULL: nowhere */
	/* See session.h. Plans get CONTROL_HOLD if it is there. */
	void (*on_held)(void *context, int pid, const struct control *control);
	void *context;
};

struct rerun {
	struct rerun_options options;
	struct session *session;
	char directory[PATH_MAX - 64]; /* of our own, for recordings */
	char recording[PATH_MAX];
	/* of the last run */
	struct outcome outcome;
	struct trace *trace;
};

bool rerun_open(struct rerun *rerun, const struct rerun_options *options, struct err *err);
void rerun_close(struct rerun *rerun);

/* False: it cannot be run, or we are to stop (rerun_is_stopped). */
bool rerun_run(struct rerun *rerun, const struct plan *plan, struct err *err);
bool rerun_is_stopped(const struct rerun *rerun);

/*
 * Runs the plan of the last run so many times more and compares the logs: every operation, in the same
 * order, of the same thread, at the same place, on the same address, with the same value. False:
 * `err` says where it was not so.
 */
bool rerun_repeat(struct rerun *rerun, const struct plan *plan, unsigned times, struct err *err);

/* The recording of the last run, out of the way of the next; NULL: it cannot be read. */
struct trace *rerun_keep(struct rerun *rerun, unsigned name);

/* The recording of the last run, which stays open, moves to options.keep, if that is given. */
bool rerun_save(struct rerun *rerun, struct err *err);

/* Closes the recording of the last run. */
void rerun_drop(struct rerun *rerun);

#endif
