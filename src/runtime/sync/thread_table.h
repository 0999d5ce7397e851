/* Which pthread_t is which stream, and what has become of it. */
#ifndef RUNTIME_SYNC_THREAD_TABLE_H
#define RUNTIME_SYNC_THREAD_TABLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* What has become of a thread, as far as joining it goes. */
enum thread_fate {
	THREAD_JOINABLE,
	THREAD_AWAITED, /* somebody is about to join it */
	THREAD_JOINED,
	THREAD_DETACHED,
};

/*
 * A thread that was joined or detached stays here until its pthread_t is used again, so that who
 * joins it once more can be told from who joins what was never seen. That may be as soon as the real
 * join or detach is done, before its entry says so: new entries come first, and one is named by its
 * stream's number too. There are as many as there were threads at a time.
 */
struct thread_entry {
	struct thread_entry *next;
	pthread_t thread;
	uint32_t stream;
	bool in_table; /* `numbered` */
	uint8_t fate;  /* enum thread_fate */
};

/* The main thread was created by nobody, but it too can be joined. */
#define THREAD_MAIN 0u
#define THREAD_UNKNOWN UINT32_MAX

struct thread_known {
	uint32_t stream; /* THREAD_UNKNOWN: nothing is known of it */
	enum thread_fate fate;
};

/* A new thread. `entry` is where it is kept; NULL: memory is allocated for it. */
void thread_table_enter(struct thread_entry *entry, pthread_t thread, uint32_t stream,
			enum thread_fate fate);

struct thread_known thread_table_find(pthread_t thread);

/* The stream of a thread that can be joined; THREAD_UNKNOWN when it is not known. */
uint32_t thread_table_stream(pthread_t thread);

void thread_table_settle(pthread_t thread, uint32_t stream, enum thread_fate fate);

/* In the child of a fork: the caller is the only thread. */
void thread_table_after_fork(void);

#endif
