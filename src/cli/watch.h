/*
 * Waiting for a program, and seeing when it hangs: all threads of all its processes sleep in a
 * futex without a time-out (or wait for a child), and not one has moved for a second. Nobody in it
 * can wake another then. Seen through /proc, without stopping anything.
 */
#ifndef CLI_WATCH_H
#define CLI_WATCH_H

#include "base/vec.h"

#include <sys/types.h>

struct watch_result {
	int status;	 /* as waitpid tells it */
	VEC(pid_t) hung; /* processes that hung, and were ended with SIGKILL for that */
};

/* Waits until our child `pid` has ended. */
void watch_program(pid_t pid, struct watch_result *result);

#endif
