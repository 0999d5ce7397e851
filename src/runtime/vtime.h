/*
 * Virtual time: in a controlled run all clocks of the process stand still but for sleeps and
 * timeouts, which move them, and a microsecond for each look, so that a loop that waits for time to
 * pass ends. It starts the same in each run.
 */
#ifndef RUNTIME_VTIME_H
#define RUNTIME_VTIME_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds since the run began. */
uint64_t vtime_now(void);
void vtime_advance_to(uint64_t time); /* never back */

/* When, on the line of vtime_now, `clock` shows `absolute`; a time that has passed gives 0. */
uint64_t vtime_of(clockid_t clock, const struct timespec *absolute);

/* A length of time in ns; what is no time gives 0. */
uint64_t vtime_length(const struct timespec *length);

/* Back to the start, for the next run. */
void vtime_reset(void);

#endif
