/*
 * Waiting for a program, and seeing when it hangs: all threads of all its processes sleep in a
 * futex without a time-out, wait for a child, for a signal that none of them handles, or for bytes in a
 * pipe that no other process has an end of, and not one has moved for a second. Nobody in it can wake
 * another then. Seen through /proc, without stopping anything.
 */
#ifndef PIPELINE_HANG_WATCH_H
#define PIPELINE_HANG_WATCH_H

#include "base/vec.h"

#include <stdbool.h>
#include <sys/types.h>

struct hang_watch_options {
	void (*look)(void *context); /* called now and then, and at the end; may be NULL */
	void *context;
	/*
	 * Ctrl-C ends the program and not us: it has it from the terminal, or from here if the signal
	 * was for us alone. At the second, if it is still there, it is ended with SIGKILL.
	 */
	bool interruptible;
};

struct hang_watch_result {
	int status;	  /* as waitpid tells it */
	bool interrupted; /* there was a Ctrl-C */
	VEC(pid_t) hung;  /* processes that hung, and were ended with SIGKILL for that */
};

/* Waits until our child `pid` has ended. */
void hang_watch_program(pid_t pid, const struct hang_watch_options *options,
			struct hang_watch_result *result);

#endif
