/* Threads that the OpenMP library creates and ends (openmp.c). */
#ifndef RUNTIME_OPENMP_OPENMP_THREAD_H
#define RUNTIME_OPENMP_OPENMP_THREAD_H

#include "runtime/sync/thread.h"

#include <pthread.h>

/* pthread_create() called inside the OpenMP library. */
int openmp_create_thread(pthread_t *thread, const pthread_attr_t *attributes,
			 void *(*routine)(void *), void *argument, uintptr_t pc);

#endif
