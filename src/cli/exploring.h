/*
 * `sooth explore`, from the first run to what failed: what its parts share. exploring.c runs the
 * program and searches, explore_failures.c repeats what failed.
 */
#ifndef CLI_EXPLORING_H
#define CLI_EXPLORING_H

#include "cli/explored.h"
#include "cli/judging.h"
#include "explore/hints.h"

#include <limits.h>

/* A failure that no run with kernel threads showed. */
struct exploring_doubt {
	char *text; /* what it was */
	uint64_t execution;
};

struct exploring {
	/* in */
	char **program;
	uint64_t budget, seed;
	double seconds;
	bool all, json, verbose;
	enum session_mode mode;
	const char *keep;	      /* -o */
	const char *save;	      /* --save */
	struct properties properties; /* -p: each execution is recorded and judged by them */
	/* how it goes */
	char directory[PATH_MAX]; /* for recordings */
	const volatile int *stop;
	struct control_thread *threads;
	uint32_t thread_count;
	struct hints hints;
	struct explore *explore;
	struct session *session;
	struct judging judging;
	double run_seconds; /* for one execution */
	char *traced;	    /* the session's executions are recorded there; NULL: they are not */
	bool terminal;
	bool went_on; /* with kernel threads, after a failure that fibers alone showed */
	/* out */
	uint64_t extra; /* runs to minimise and to confirm */
	size_t saved;	/* schedules */
	VEC(struct explored) found;
	VEC(struct exploring_doubt) doubts;
};

extern const char *const exploring_modes[]; /* by enum session_mode, as --mode has them */
#define EXPLORING_MODES 4

/* "DIRECTORY/NAME-NUMBER.sooth"; to be freed. */
char *exploring_trace_name(const struct exploring *x, const char *name, size_t number);

/* With the threads that are known so far. */
struct session *exploring_open_session(const struct exploring *x, enum session_mode mode,
				       const char *trace, struct err *err);

/* What runs a session's program, and with -p judges what it recorded. */
struct executor *exploring_executor(struct exploring *x, struct session *session,
				    const char *trace);

/* Makes the first run and searches until something fails. False: it cannot be run. */
bool exploring_start(struct exploring *x, struct err *err);

/* Goes on after a failure that was an artefact of the mode, with threads of the kernel. */
bool exploring_go_on(struct exploring *x, struct err *err);

/* bank.schedule, bank-2.schedule …, or as --save says: for the next one. To be freed. */
char *exploring_schedule_name(const struct exploring *x);

/*
 * A run that violates a property, or of which another order does: such orders are run, told as
 * confirmed if they show it, and saved.
 */
void exploring_confirm_violations(struct exploring *x, struct explored *explored);

/* Repeats what failed and was not told yet: into `found` or `doubts`. */
bool exploring_tell_failures(struct exploring *x, struct err *err);

#endif
