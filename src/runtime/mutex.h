/* What condition variables need to know about mutexes. */
#ifndef RUNTIME_MUTEX_H
#define RUNTIME_MUTEX_H

#include <pthread.h>
#include <stdbool.h>

/* Would the library refuse to unlock it for the calling thread, which does not hold it? */
bool mutex_refuses(const pthread_mutex_t *mutex);

#endif
