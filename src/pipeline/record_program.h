/*
 * Runs a program that was built with `sooth cc` and makes its runtime record, for `sooth record`
 * and `sooth check`. Address space randomisation is switched off where that is allowed, so that two
 * recordings of one program have the same addresses.
 */
#ifndef PIPELINE_RECORD_PROGRAM_H
#define PIPELINE_RECORD_PROGRAM_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* Exit statuses for failures of `sooth record` itself, as in env(1) or nice(1). */
enum {
	RECORD_PROGRAM_FAILED = 125,
	RECORD_PROGRAM_NOT_EXECUTABLE = 126,
	RECORD_PROGRAM_NOT_FOUND = 127
};

struct record_program {
	const char *command; /* such as "record", for messages */
	const char *trace;   /* as the user named it, or derived from the program's name */
	const char *limit, *verbosity; /* values for SOOTH_OPTIONS, or NULL */
	bool patterns;		       /* print new locking patterns while the program runs */
	bool serial;	   /* run one thread at a time and record the order of all events */
	const char *seed;  /* choose the next thread at random; NULL: each runs on while it can */
	char **program;	   /* NULL-terminated */
	bool ends_with_us; /* the kernel kills the program when this process dies */
	bool output_to_stderr; /* the program's standard output goes to standard error */
	char name[NAME_MAX + 8];
	char directory[PATH_MAX];	  /* absolute name of the trace */
	struct sigaction interrupt, quit; /* signal actions before the start */
};

/*
 * Makes the absolute name of the trace, and removes a trace that has this name already. Returns
 * false after a message.
 */
bool record_program_place(struct record_program *r);

/*
 * Starts the program, which records to `r->directory`. The terminal sends SIGINT and SIGQUIT to the
 * program as well. This process ignores them until record_program_end(), because it must outlive
 * the program to report how it ended. Returns false, after a message, if the program did not start;
 * `*status` is then one of the statuses above.
 */
bool record_program_start(struct record_program *r, pid_t *pid, int *status);
void record_program_end(const struct record_program *r);

/*
 * Moves a trace to `name` and replaces a trace that has this name. Returns false after a message.
 */
bool record_program_keep(const char *command, const char *trace, const char *name);

/* Prints that no trace was written, and what to do about it. */
void record_program_say_nothing_written(const struct record_program *r);

#endif
