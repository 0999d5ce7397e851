/* Running a program built with `sooth cc` so that it records: for `sooth record` and `check`. */
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
	const char *command; /* "record", for messages */
	const char *trace;   /* as the user said it, or made from the program's name */
	const char *limit, *log, *verbosity;
	bool patterns;	   /* new locking patterns are told */
	bool serial;	   /* one thread at a time; the order of all events is recorded */
	const char *seed;  /* NULL: each thread runs as long as it can; else who goes is drawn */
	char **program;	   /* NULL-terminated */
	bool ends_with_us; /* when we are ended, so is the program: nobody else waits for it */
	bool output_to_stderr; /* the program's standard output goes to our standard error */
	char name[NAME_MAX + 8];
	char directory[PATH_MAX];	  /* absolute */
	struct sigaction interrupt, quit; /* what they were before the start */
};

bool record_program_complain(const struct record_program *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * The value of option `name` at argv[*i], as "--name V", "--name=V" or "-nV"; *i moves on to the
 * last word used. NULL: it is another option, or its value is missing.
 */
const char *record_program_value(const char *name, char **argv, int *i);

/* Makes the trace's absolute name and removes an earlier trace there; false: a message was printed. */
bool record_program_place(struct record_program *r);

/* Are limit, log, verbosity and seed what they can be? False: a message was printed. */
bool record_program_check_values(const struct record_program *r);

/*
 * Starts the program; `r->directory` is where it records. SIGINT and SIGQUIT, which reach the
 * program by themselves, are ignored here until record_program_end: we must outlive it to tell how it
 * ended. False, with a message: it did not start, and `*status` is one of those above.
 */
bool record_program_start(struct record_program *r, pid_t *pid, int *status);
void record_program_end(const struct record_program *r);

/* Says that there is no trace, and what to do about it. */
void record_program_say_nothing_written(const struct record_program *r);

#endif
