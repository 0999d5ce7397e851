/* Starting the user's program so that a session has it in hand, and removing what it leaves. */
#ifndef EXPLORE_CONTROL_TARGET_PROCESS_H
#define EXPLORE_CONTROL_TARGET_PROCESS_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/types.h>

struct target_process {
	char **words;	       /* NULL-terminated */
	const char *options;   /* put behind the user's own SOOTH_OPTIONS */
	const char *directory; /* to run it in; NULL: this one */
	bool quiet;	       /* its output goes to /dev/null */
	bool output_to_stderr;
	int input; /* a regular file for its standard input, or -1: /dev/null */
	off_t input_at;
};

/*
 * Starts it, in a process group of its own. False: it cannot be executed. `*fd` is a descriptor
 * that can be read when it has ended, or -1 (an old kernel).
 */
bool target_process_start(const struct target_process *program, pid_t *pid, int *fd,
			  struct err *err);

/* Has it ended? Waits up to `milliseconds`; a signal cuts that short. */
bool target_process_ended(pid_t pid, int fd, int milliseconds, int *status);

/* Ends it, with all of its group, and collects it. */
void target_process_kill(pid_t pid, int *status);

/* The descriptor of our own standard input for `input`, if it can be read again; else -1. */
int target_process_input(off_t *at);

#endif
