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
	const char *options;   /* appended to the user's SOOTH_OPTIONS */
	const char *directory; /* working directory of the program; NULL: the current one */
	bool quiet;	       /* the program's output goes to /dev/null */
	bool output_to_stderr;
	int input; /* the regular file that the program reads as standard input; -1: /dev/null */
	off_t input_at;
};

/*
 * Starts the program in a process group of its own. Returns false if it cannot be executed. Sets
 * `*fd` to a descriptor that becomes readable when the program ends, or to -1 on old kernels.
 */
bool target_process_start(const struct target_process *program, pid_t *pid, int *fd,
			  struct err *err);

/* Has the program ended? Waits for that up to `milliseconds`; a signal can end the wait early. */
bool target_process_ended(pid_t pid, int fd, int milliseconds, int *status);

/* Kills the program and its process group, and waits for the end of the program. */
void target_process_kill(pid_t pid, int *status);

/*
 * Returns a duplicate of the tool's standard input if it is a regular file, which each run can read
 * again; otherwise -1. Sets `*at` to the current position.
 */
int target_process_input(off_t *at);

#endif
