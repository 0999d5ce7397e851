/* Sleeping in controlled runs, and timeouts. */
#ifndef RUNTIME_IO_SLEEP_H
#define RUNTIME_IO_SLEEP_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* May a call with this timeout wait? NULL is a timeout that never ends. */
bool sleep_may_wait(const struct timespec *timeout);

/* Is it a length of time that the kernel accepts? It may point nowhere. */
bool sleep_is_duration(const struct timespec *time);

/*
 * In a controlled run: sleeps until no other thread can run, or the plan says so. The virtual clock
 * then shows `until`. Returns 0, or EINTR if a signal handler ended the sleep, and stores in
 * `rest`, unless it is NULL, the time that was left. A cancellation point: the caller has an
 * unknown_wait_call.
 */
int sleep_controlled(uint64_t until, struct timespec *rest, uintptr_t pc);

/* Returns 0, or -1 with errno set if there is an error. */
int sleep_result(int error);

#endif
