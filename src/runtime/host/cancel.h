/* Prevents the cancellation of the calling thread while the runtime works for it. See cancel.c. */
#ifndef RUNTIME_HOST_CANCEL_H
#define RUNTIME_HOST_CANCEL_H

#include <pthread.h>

/*
 * To be called before the program cancels `thread`, which must be alive and not the calling thread.
 */
void cancel_announce(pthread_t thread);

/* The cancellation state and type before cancel_forbid(). */
struct cancel_before {
	int state, type;
};

/* These calls nest. cancel_allow() does not return if the thread was cancelled in the meantime. */
struct cancel_before cancel_forbid(void);
void cancel_allow(struct cancel_before before);

#endif
