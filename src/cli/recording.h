/* Running a program built with `sooth cc` so that it records: for `sooth record` and `check`. */
#ifndef CLI_RECORDING_H
#define CLI_RECORDING_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* Exit statuses of `sooth record` for its own failures, as with env(1) or nice(1). */
enum { RECORDING_FAILED = 125, RECORDING_NOT_EXECUTABLE = 126, RECORDING_NOT_FOUND = 127 };

struct recording {
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

bool recording_complain(const struct recording *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * The value of option `name` at argv[*i], as "--name V", "--name=V" or "-nV"; *i moves on to the
 * last word used. NULL: it is another option, or its value is missing.
 */
const char *recording_value(const char *name, char **argv, int *i);

/* Makes the trace's absolute name and removes an earlier trace there; false: a message was printed. */
bool recording_place(struct recording *r);

/* Are limit, log, verbosity and seed what they can be? False: a message was printed. */
bool recording_check_values(const struct recording *r);

/*
 * Starts the program; `r->directory` is where it records. SIGINT and SIGQUIT, which reach the
 * program by themselves, are ignored here until recording_end: we must outlive it to tell how it
 * ended. False, with a message: it did not start, and `*status` is one of those above.
 */
bool recording_start(struct recording *r, pid_t *pid, int *status);
void recording_end(const struct recording *r);

/* Says that there is no trace, and what to do about it. */
void recording_say_nothing_written(const struct recording *r);

#endif
