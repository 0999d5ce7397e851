/*
 * Waits for a program to end and notices if it hangs. It hangs if none of the threads of its
 * processes has run for a second and each of them waits for one of these: a futex without a
 * time-out, the end of a child, a signal that no process handles, bytes from a pipe that no other
 * process has open. Then no thread can wake another. Everything is read from /proc, without
 * stopping the program.
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
	 * terminal or, if it was sent only to this process, from this process. The second Ctrl-C
	 * kills the program.
	 */
	bool interruptible;
	bool may_hang; /* only wait: do not look whether the program hangs */
};

struct hang_watch_result {
	int status;	  /* as from waitpid */
	bool interrupted; /* the user pressed Ctrl-C, or SIGTERM came (end_request.h) */
	VEC(pid_t) hung;  /* processes that hung and were killed */
};

/*
 * Waits until the child `pid` has ended. SIGTERM to this process (end_request.h) is passed to the
 * program, which is killed if it has not ended a few seconds later.
 */
void hang_watch_program(pid_t pid, const struct hang_watch_options *options,
			struct hang_watch_result *result);

#endif
