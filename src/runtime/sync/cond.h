/* Condition variables, for the interposers that use them: C11 threads and C++ constructors. */
#ifndef RUNTIME_SYNC_COND_H
#define RUNTIME_SYNC_COND_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

/*
 * These do the work of the interposed pthread functions. `pc` is the address from which the program
 * called those.
 */
int cond_init(pthread_cond_t *cond, const pthread_condattr_t *attributes, uintptr_t pc);
int cond_destroy(pthread_cond_t *cond, uintptr_t pc);
int cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, uintptr_t pc);
int cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until,
		    uintptr_t pc);
int cond_signal(pthread_cond_t *cond, uintptr_t pc);
int cond_broadcast(pthread_cond_t *cond, uintptr_t pc);

/* Records that a C++ constructor has initialised `cond`. */
void cond_record_init(const pthread_cond_t *cond, uintptr_t pc);

#endif
