/* Condition variables, for those who use them by other names: C11 threads, constructors of C++. */
#ifndef RUNTIME_SYNC_COND_H
#define RUNTIME_SYNC_COND_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

/* The functions of pthreads, with the place they are called from. */
int cond_init(pthread_cond_t *cond, const pthread_condattr_t *attributes, uintptr_t pc);
void cond_made(const pthread_cond_t *cond, uintptr_t pc); /* a constructor was there */
int cond_destroy(pthread_cond_t *cond, uintptr_t pc);
int cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, uintptr_t pc);
int cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until,
		    uintptr_t pc);
int cond_signal(pthread_cond_t *cond, uintptr_t pc);
int cond_broadcast(pthread_cond_t *cond, uintptr_t pc);

#endif
