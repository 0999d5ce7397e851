/*
 * Timers of the kernel in a controlled run. They run in real time. But when the virtual clock
 * jumps, because no thread can run before a timeout, all timers are brought forward by the same
 * amount. For example, an alarm after one second wakes a thread that sleeps for ten, although the
 * sleep is virtual.
 */
#ifndef RUNTIME_SCHED_TIMERS_H
#define RUNTIME_SCHED_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

/* Has the program ever set a timer? If not, none has to be checked. */
extern bool timers_used;

/* Returns the time until the first timer expires, in ns; UINT64_MAX: none is running. */
uint64_t timers_until_first(void);

/*
 * Call when the virtual clock jumps by `length` ns. Waits a moment until receivers notice timers
 * that have expired.
 */
void timers_bring_forward(uint64_t length);

#endif
