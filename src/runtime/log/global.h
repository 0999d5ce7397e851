/*
 * SOOTH_OPTIONS=log=global: every stream's events go to one log under one lock, as GPredict's
 * first logger did (paper's Table II). It exists to be measured against; threads wait for each
 * other at every segment.
 */
#ifndef RUNTIME_GLOBAL_H
#define RUNTIME_GLOBAL_H

#include <stdbool.h>
#include <stdint.h>

bool global_on(void);
bool global_open(void);
enum global_result {
	GLOBAL_APPENDED,
	GLOBAL_BUSY, /* this thread is in the middle of appending, and a signal handler has cut in */
	GLOBAL_NO_SPACE,
	GLOBAL_FAILED, /* for another reason the log cannot be written any more */
};
enum global_result global_append(uint32_t stream, const void *bytes, uint32_t count);
void global_close(void);

/* The calling thread has jumped out of a handler that had cut in on its append. */
void global_abandon(void);

/* In a fork child: the parent's log is not ours. */
void global_forget(void);

#endif
