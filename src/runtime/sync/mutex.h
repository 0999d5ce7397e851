/* Functions on mutexes that the interposers of condition variables and C11 threads use, too. */
#ifndef RUNTIME_SYNC_MUTEX_H
#define RUNTIME_SYNC_MUTEX_H

#include "event/event.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/*
 * Would the library refuse to unlock the mutex, because it checks the owner and the calling thread
 * does not hold it?
 */
bool mutex_refuses(const pthread_mutex_t *mutex);

/*
 * Is it certain that the calling thread does not hold the mutex? To be asked only if
 * mutex_refuses() is false.
 */
bool mutex_is_not_held(const pthread_mutex_t *mutex);

/*
 * Records a misuse if a call failed with `error` because the mutex is destroyed or was never
 * initialised. Unlocking a mutex that another thread holds is not recorded as a misuse here: for
 * mutex types that check the owner, POSIX specifies that error.
 */
void mutex_record_misuse(const pthread_mutex_t *mutex, uintptr_t pc, int error);

/* Returns the mutex's type as struct sched_op has it in `lock`. */
uint8_t mutex_sched_lock(const pthread_mutex_t *mutex);

/*
 * Tries to lock without recording, for a caller that will wait if the try fails. A robust mutex is
 * tried only if it appears to be free: in glibc 2.36, a try of a mutex that is not recoverable
 * leaves it locked.
 */
int mutex_try_really(pthread_mutex_t *mutex);

/*
 * These do the work of the interposed pthread functions. `pc` is the address from which the program
 * called those.
 */
int mutex_lock(pthread_mutex_t *mutex, uintptr_t pc);
int mutex_lock_until(pthread_mutex_t *mutex, const struct timespec *until, uintptr_t pc);
int mutex_try(pthread_mutex_t *mutex, uintptr_t pc);
int mutex_unlock(pthread_mutex_t *mutex, uintptr_t pc);
int mutex_destroy(pthread_mutex_t *mutex, uintptr_t pc);

/* Records that the mutex was initialised. */
void mutex_record_init(const pthread_mutex_t *mutex, uintptr_t pc);

#endif
