/* Prevents the cancellation of the calling thread while the runtime works for it. See cancel.c. */
#ifndef RUNTIME_HOST_CANCEL_H
#define RUNTIME_HOST_CANCEL_H

#include <pthread.h>

/* To be called before another thread, which is alive, is cancelled. */
void cancel_announce(pthread_t thread);

/* The previous state and type. */
struct cancel_before {
	int state, type;
};

/* These calls nest. cancel_allow() does not return if the thread was cancelled in the meantime. */
struct cancel_before cancel_forbid(void);
void cancel_allow(struct cancel_before before);

#endif
