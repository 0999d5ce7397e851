/*
 * Waits for a program and notices if it hangs. It hangs if every thread of all its processes waits
 * in a futex without a time-out, for a child, for a signal that no process handles, or for bytes
 * from a pipe that no other process has open, and none of them has run for a second: then no thread
 * can wake another. All of this is read from /proc, without stopping the program.
 */
#ifndef PIPELINE_HANG_WATCH_H
#define PIPELINE_HANG_WATCH_H

#include "base/vec.h"

#include <stdbool.h>
#include <sys/types.h>

struct hang_watch_options {
	void (*look)(void *context); /* called about every 100 ms and at the end; may be NULL */
	void *context;
	/*
	 * Ctrl-C ends the program and not this process. The program gets the signal from the
	 * terminal, or from here if it was sent to this process alone. The second Ctrl-C kills the
	 * program.
	 */
	bool interruptible;
};

struct hang_watch_result {
	int status;	  /* of waitpid */
	bool interrupted; /* by Ctrl-C */
	VEC(pid_t) hung;  /* processes that hung and were killed */
};

/* Waits until the child `pid` has ended. */
void hang_watch_program(pid_t pid, const struct hang_watch_options *options,
			struct hang_watch_result *result);

#endif
