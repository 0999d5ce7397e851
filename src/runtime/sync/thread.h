/* Threads: their creation, their ends, and which pthread_t is which stream. */
#ifndef RUNTIME_SYNC_THREAD_H
#define RUNTIME_SYNC_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* What a thread runs: one of the two. */
struct thread_routine {
	void *(*posix)(void *);
	int (*c11)(void *);
};

/*
 * The functions of pthreads, with the place they are called from. `thread_create` only while
 * record_on().
 */
int thread_create(pthread_t *thread, const pthread_attr_t *attributes,
		  struct thread_routine routine, void *argument, uintptr_t pc);
int thread_join(pthread_t thread, void **result, uintptr_t pc);
int thread_detach(pthread_t thread, uintptr_t pc);
void thread_exit(void *result) __attribute__((noreturn));

/* Has this process made a thread, ever? */
bool thread_made_any(void);

/* Makes the key whose destructor ends threads, which else the first thread does. */
void thread_prepare(void);

/* For fibers, whose destructors we run: that key, and what its destructor does at last. */
unsigned thread_end_key(void);
void thread_end(void);

/* Lets the calling thread record its END. False when there is no way but to do it by hand. */
bool thread_expect_end(void);

/* The kernel's number of the calling thread, remembered; until it is another, in a new process. */
int thread_tid(void);
void thread_forget_tid(void);

/* In a fork child: it has one thread. */
void thread_after_fork(void);
/* Is this such a child? */
bool thread_was_forked(void);

#endif
