/*
 * Virtual time: in a controlled run all clocks of the process stand still but for sleeps and
 * timeouts, which move them, and a microsecond for each look, so that a loop that waits for time to
 * pass ends. It starts the same in each run. What reads the processor's counter (rdtsc) sees real time;
 * timers of the kernel (timers.h) run in real time, and are moved on where the clock is.
 */
#ifndef RUNTIME_SCHED_VIRTUAL_TIME_H
#define RUNTIME_SCHED_VIRTUAL_TIME_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds since the run began. */
uint64_t virtual_time_now(void);
void virtual_time_advance_to(uint64_t time); /* never back */

/* When, on the line of virtual_time_now, `clock` shows `absolute`; 0 for a time before the run. */
uint64_t virtual_time_of(clockid_t clock, const struct timespec *absolute);

/* When that will be by CLOCK_MONOTONIC, if real time goes on from here, for who waits outside. */
struct timespec virtual_time_real_end(uint64_t time);

/* A length of time in ns, as long as there is for one that is longer. */
uint64_t virtual_time_length(const struct timespec *length);

#endif
