/*
 * Runs a program that was built with `sooth cc` so that its runtime records: for `sooth record` and
 * `sooth check`. Address space randomisation is switched off where that is allowed, so that two
 * recordings of one program have the same addresses.
 */
#ifndef PIPELINE_RECORD_PROGRAM_H
#define PIPELINE_RECORD_PROGRAM_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* Exit statuses of `sooth record` for its own failures, as with env(1) or nice(1). */
enum {
	RECORD_PROGRAM_FAILED = 125,
	RECORD_PROGRAM_NOT_EXECUTABLE = 126,
	RECORD_PROGRAM_NOT_FOUND = 127
};

struct record_program {
	const char *command;	       /* "record", for messages */
	const char *trace;	       /* as the user named it, or made from the program's name */
	const char *limit, *verbosity; /* values for SOOTH_OPTIONS, or NULL */
	bool patterns;		       /* report new nestings of locks while it runs */
	bool serial; /* run one thread at a time; the order of all events is recorded */
	const char
		*seed;	/* choose the next thread at random; NULL: a thread runs on while it can */
	char **program; /* ends with NULL */
	bool ends_with_us;     /* the program gets SIGKILL when this process dies */
	bool output_to_stderr; /* the program's standard output goes to our standard error */
	char name[NAME_MAX + 8];
	char directory[PATH_MAX];	  /* the trace's absolute name */
	struct sigaction interrupt, quit; /* the actions before the start */
};

/*
 * Makes the trace's absolute name and removes an earlier trace of that name. Returns false after a
 * message.
 */
bool record_program_place(struct record_program *r);

/*
 * Starts the program, which records to `r->directory`. SIGINT and SIGQUIT reach the program by
 * themselves; this process ignores them until record_program_end(), because it must outlive the
 * program to say how it ended. Returns false, after a message, if the program did not start;
 * `*status` is then one of the statuses above.
 */
bool record_program_start(struct record_program *r, pid_t *pid, int *status);
void record_program_end(const struct record_program *r);

/* Moves a trace, replacing an earlier one of that name. Returns false after a message. */
bool record_program_keep(const char *command, const char *trace, const char *name);

/* Says that no trace was written, and what to do about it. */
void record_program_say_nothing_written(const struct record_program *r);

#endif
