/* Sleeping in controlled runs, and timeouts. */
#ifndef RUNTIME_IO_SLEEP_H
#define RUNTIME_IO_SLEEP_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* May a call with this timeout wait? NULL means no timeout. */
bool sleep_may_wait(const struct timespec *timeout);

/* Is it a duration that the kernel accepts? `time` may be an invalid address. */
bool sleep_is_duration(const struct timespec *time);

/*
 * In a controlled run: sleeps until no other thread can run, or until the plan ends the sleep. Then
 * the virtual clock shows `until`. Returns 0, or EINTR if a signal handler ended the sleep; in that
 * case stores the remaining time in `rest`, unless it is NULL. This is a cancellation point, so the
 * caller must have an unknown_wait_call.
 */
int sleep_controlled(uint64_t until, struct timespec *rest, uintptr_t pc);

/*
 * Converts an error number to a result: returns 0 if `error` is 0, otherwise -1 with errno set to
 * it.
 */
int sleep_result(int error);

#endif
