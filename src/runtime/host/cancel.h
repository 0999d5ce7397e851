/* Keeping the calling thread from being cancelled while the runtime is at work for it; cancel.c. */
#ifndef RUNTIME_HOST_CANCEL_H
#define RUNTIME_HOST_CANCEL_H

#include <pthread.h>

/* Before a thread that lives is cancelled, by any other. */
void cancel_announce(pthread_t thread);

/* What the thread had before. */
struct cancel_before {
	int state, type;
};

/* These nest. cancel_allow may not return: then somebody has cancelled the thread meanwhile. */
struct cancel_before cancel_forbid(void);
void cancel_allow(struct cancel_before before);

#endif
