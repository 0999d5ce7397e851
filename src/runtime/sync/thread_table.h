/* Maps a pthread_t to its stream, and says whether the thread was joined or detached. */
#ifndef RUNTIME_SYNC_THREAD_TABLE_H
#define RUNTIME_SYNC_THREAD_TABLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* A thread's state as far as joins are concerned. */
enum thread_fate {
	THREAD_JOINABLE,
	THREAD_AWAITED, /* another thread is about to join it */
	THREAD_JOINED,
	THREAD_DETACHED,
};

/*
 * A thread that was joined or detached stays in the table until its pthread_t is used again. So a
 * second join can be told from a join of a thread that was never seen. The pthread_t may be used
 * again as soon as the real join or detach is done, before the entry says so. Therefore new entries
 * come first, and an entry is identified by its stream as well. There are as many entries as
 * threads existed at the same time.
 */
struct thread_entry {
	struct thread_entry *next;
	pthread_t thread;
	uint32_t stream;
	bool in_table; /* in a table of the caller, not allocated */
	uint8_t fate;  /* enum thread_fate */
};

/* No thread created the main thread, but it can be joined. */
#define THREAD_MAIN 0u
#define THREAD_UNKNOWN UINT32_MAX

struct thread_known {
	uint32_t stream; /* THREAD_UNKNOWN: the thread is not in the table */
	enum thread_fate fate;
};

/* Adds a new thread. The table uses `entry`, or memory that it allocates if that is NULL. */
void thread_table_add(struct thread_entry *entry, pthread_t thread, uint32_t stream,
		      enum thread_fate fate);

/* Returns the newest entry of `thread`. */
struct thread_known thread_table_find(pthread_t thread);

/* Returns the stream of a thread that can be joined, or THREAD_UNKNOWN. */
uint32_t thread_table_stream(pthread_t thread);

/* Changes the entry of that thread and stream, if it is still there. */
void thread_table_set_fate(pthread_t thread, uint32_t stream, enum thread_fate fate);

/* Called in the child of a fork: the caller is the only thread. */
void thread_table_after_fork(void);

#endif
