/* Mutexes, for the interposers that use them: condition variables and C11 threads. */
#ifndef RUNTIME_SYNC_MUTEX_H
#define RUNTIME_SYNC_MUTEX_H

#include "event/event.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Would the library refuse to unlock it, because the calling thread does not hold it? */
bool mutex_refuses(const pthread_mutex_t *mutex);

/*
 * Is it certain that the calling thread does not hold it? Not for a mutex whose type makes the
 * library check that (mutex_refuses).
 */
bool mutex_is_not_held(const pthread_mutex_t *mutex);

/*
 * Records a misuse if a call failed with `error` because the mutex is destroyed or was never
 * initialised. That the caller does not hold it is not a misuse here: POSIX promises that error for
 * the types that check it.
 */
void mutex_record_misuse(const pthread_mutex_t *mutex, uintptr_t pc, int error);

/* The mutex's type for sched_op's `lock`. */
uint8_t mutex_sched_lock(const pthread_mutex_t *mutex);

/*
 * Tries to lock without recording, for a caller that waits if that fails. A robust mutex is locked
 * only if it looks free: when it cannot be recovered any more, a try leaves it locked (glibc 2.36).
 */
int mutex_try_really(pthread_mutex_t *mutex);

/* The functions of pthreads with the address that they are called from. */
int mutex_lock(pthread_mutex_t *mutex, uintptr_t pc);
int mutex_lock_until(pthread_mutex_t *mutex, const struct timespec *until, uintptr_t pc);
int mutex_try(pthread_mutex_t *mutex, uintptr_t pc);
int mutex_unlock(pthread_mutex_t *mutex, uintptr_t pc);
int mutex_destroy(pthread_mutex_t *mutex, uintptr_t pc);

/* Records that the mutex was initialised. */
void mutex_record_init(const pthread_mutex_t *mutex, uintptr_t pc);

#endif
