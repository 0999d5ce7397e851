/*
 * Virtual time. In a controlled run, all clocks of the process advance only by sleeps and timeouts,
 * and by a microsecond each time the program reads a clock, so that a loop that waits for time to
 * pass ends. They start at the same value in each run. Code that reads the processor's counter
 * (rdtsc) sees real time. Kernel timers run in real time and are brought forward when the clock
 * jumps (timers.h).
 */
#ifndef RUNTIME_SCHED_VIRTUAL_TIME_H
#define RUNTIME_SCHED_VIRTUAL_TIME_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds since the run began. */
uint64_t virtual_time_now(void);
void virtual_time_advance_to(uint64_t time); /* never backwards */

/* Returns the virtual time at which `clock` shows `absolute`; 0 for a time before the run. */
uint64_t virtual_time_of(clockid_t clock, const struct timespec *absolute);

/*
 * For waiting outside: returns the CLOCK_MONOTONIC time at which `time` is reached, if the virtual
 * clock advances from now on as fast as the real one.
 */
struct timespec virtual_time_real_end(uint64_t time);

/* Returns a duration in ns, or the largest value if it is too long. */
uint64_t virtual_time_length(const struct timespec *length);
static inline struct timespec virtual_time_timespec(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / 1000000000u),
				  .tv_nsec = (long)(ns % 1000000000u) };
}

#endif
