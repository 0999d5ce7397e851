/* Threads: creation, end, joins. */
#ifndef RUNTIME_SYNC_THREAD_H
#define RUNTIME_SYNC_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* What a thread runs: one of the two is set. */
struct thread_routine {
	void *(*posix)(void *);
	int (*c11)(void *);
};

/*
 * The functions of pthreads with the address that they are called from. `thread_create` may be
 * called only while record_on().
 */
int thread_create(pthread_t *thread, const pthread_attr_t *attributes,
		  struct thread_routine routine, void *argument, uintptr_t pc);
int thread_join(pthread_t thread, void **result, uintptr_t pc);
int thread_detach(pthread_t thread, uintptr_t pc);
void thread_exit(void *result) __attribute__((noreturn));

/* Has this process ever created a thread? */
bool thread_any_created(void);

/* Creates the key whose destructor ends threads. Without this call the first thread does it. */
void thread_prepare(void);

/* For fibers, whose destructors the runtime runs: that key, and its destructor's last action. */
unsigned thread_end_key(void);
void thread_end(void);

/* Makes the thread record its END. Returns false if the caller has to call thread_end(). */
bool thread_prepare_end(void);

/* The kernel's id of the calling thread. It is cached until it changes, in a new process. */
int thread_tid(void);
void thread_forget_tid(void);

/* Called in a fork child, which has one thread. */
void thread_after_fork(void);
/* Is this process such a child? */
bool thread_was_forked(void);

#endif
