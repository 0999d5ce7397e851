/*
 * Timers of the kernel in a controlled run. They run in real time; but where the virtual clock jumps,
 * since nobody can go on before a time is over, they come as much nearer: who sleeps for ten seconds is
 * woken by an alarm of one.
 */
#ifndef RUNTIME_SCHED_TIMERS_H
#define RUNTIME_SCHED_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

/* Has the program ever set one? Nothing is to be asked before. */
extern bool timers_used;

/* How long until the first runs out, in ns; UINT64_MAX: none runs. */
uint64_t timers_first(void);

/* So long has passed at once. Who is to be told of those that have run out then gets a moment for it. */
void timers_pass(uint64_t length);

#endif
