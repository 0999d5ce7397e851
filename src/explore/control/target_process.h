/*
 * Starts the user's program as a child process for controlled runs, waits for its end, and kills
 * it.
 */
#ifndef EXPLORE_CONTROL_TARGET_PROCESS_H
#define EXPLORE_CONTROL_TARGET_PROCESS_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/types.h>

struct target_process {
	char **words;	       /* NULL-terminated */
	const char *options;   /* appended to the user's own SOOTH_OPTIONS */
	const char *directory; /* working directory of the program; NULL: the current one */
	bool quiet;	       /* its output goes to /dev/null */
	bool output_to_stderr;
	int input; /* a regular file for its standard input, or -1: /dev/null */
	off_t input_at;
};

/*
 * Starts the program in a process group of its own. Returns false if it cannot be executed. `*fd`
 * is a descriptor that becomes readable when the program ends, or -1 (an old kernel).
 */
bool target_process_start(const struct target_process *program, pid_t *pid, int *fd,
			  struct err *err);

/* Has the program ended? Waits up to `milliseconds`, less if a signal arrives. */
bool target_process_ended(pid_t pid, int fd, int milliseconds, int *status);

/* Kills the program with its process group and waits for its end. */
void target_process_kill(pid_t pid, int *status);

/*
 * Returns a duplicate of our own standard input for `input` if it can be read repeatedly, otherwise
 * -1.
 */
int target_process_input(off_t *at);

#endif
