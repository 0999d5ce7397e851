/* Threads: their creation, their ends, and which pthread_t is which stream. */
#ifndef RUNTIME_THREAD_H
#define RUNTIME_THREAD_H

/* The kernel's number of the calling thread, remembered. */
int thread_tid(void);

/* In a fork child: it has one thread. */
void thread_after_fork(void);

#endif
