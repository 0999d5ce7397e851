/* Mutexes, for those who use them by other names: condition variables, C11 threads. */
#ifndef RUNTIME_SYNC_MUTEX_H
#define RUNTIME_SYNC_MUTEX_H

#include "event/event.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Would the library refuse to unlock it for the calling thread, which does not hold it? */
bool mutex_refuses(const pthread_mutex_t *mutex);

/*
 * Is it certain that the calling thread does not hold it? Not asked of one that the library checks
 * itself (mutex_refuses).
 */
bool mutex_is_anothers(const pthread_mutex_t *mutex);
/*
 * Was the error because of what the mutex is, or is no more? Then that is recorded. That it is not the
 * caller's is an answer that POSIX promises, for those kinds that check it, and no misuse.
 */
void mutex_blame(const pthread_mutex_t *mutex, uintptr_t pc, int error);

enum event_lock mutex_type(const pthread_mutex_t *mutex);
uint8_t mutex_turn_lock(const pthread_mutex_t *mutex); /* sched_want's `lock` */
/*
 * A try for real, whose caller wants it in any case. A robust one is only looked at: when it cannot be
 * recovered any more, a try leaves it locked (glibc 2.36).
 */
int mutex_try_really(pthread_mutex_t *mutex);

/* The functions of pthreads, with the place they are called from. */
int mutex_lock(pthread_mutex_t *mutex, uintptr_t pc);
int mutex_lock_until(pthread_mutex_t *mutex, const struct timespec *until, uintptr_t pc);
int mutex_try(pthread_mutex_t *mutex, uintptr_t pc);
int mutex_unlock(pthread_mutex_t *mutex, uintptr_t pc);
int mutex_destroy(pthread_mutex_t *mutex, uintptr_t pc);

/* Records the init of one that was made. */
void mutex_made(const pthread_mutex_t *mutex, uintptr_t pc);

#endif
