/* Creation, end and joins of threads. */
#ifndef RUNTIME_SYNC_THREAD_H
#define RUNTIME_SYNC_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* The function that a thread runs: one of the two is not NULL. */
struct thread_routine {
	void *(*posix)(void *);
	int (*c11)(void *);
};

/*
 * These do the work of the interposed pthread functions. `pc` is the address from which the program
 * called those. `thread_create` may be called only while record_on().
 */
int thread_create(pthread_t *thread, const pthread_attr_t *attributes,
		  struct thread_routine routine, void *argument, uintptr_t pc);
int thread_join(pthread_t thread, void **result, uintptr_t pc);
int thread_detach(pthread_t thread, uintptr_t pc);
void thread_exit(void *result) __attribute__((noreturn));

/* Has this process ever created a thread? */
bool thread_any_created(void);

/*
 * Creates the key whose destructor records END. Without this call, the first thread that needs the
 * key creates it.
 */
void thread_prepare(void);

/*
 * For fibers, whose destructors the runtime runs itself: the key whose destructor records END, and
 * the last action of that destructor.
 */
unsigned thread_end_key(void);
void thread_end(void);

/*
 * Makes the calling thread record END when it ends. Returns false if the caller has to call
 * thread_end() instead.
 */
bool thread_prepare_end(void);

/*
 * Returns the kernel's id of the calling thread. The id is cached; thread_forget_tid() must be
 * called when it changes, in a new process.
 */
int thread_tid(void);
void thread_forget_tid(void);

/* Called in the child of a fork, which has one thread. */
void thread_after_fork(void);
/* Is this process the child of a fork? */
bool thread_was_forked(void);

#endif
