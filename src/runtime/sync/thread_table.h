/* Maps a pthread_t to its stream, and says whether the thread was joined or detached. */
#ifndef RUNTIME_SYNC_THREAD_TABLE_H
#define RUNTIME_SYNC_THREAD_TABLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* The state of a thread with respect to joins. */
enum thread_fate {
	THREAD_JOINABLE,
	THREAD_AWAITED, /* another thread is about to join it */
	THREAD_JOINED,
	THREAD_DETACHED,
};

/*
 * A thread that was joined or detached stays in the table until its pthread_t is used again. So a
 * second join can be distinguished from a join of a thread whose creation was not seen. The
 * pthread_t may be used again as soon as the real join or detach has returned, before `fate` is
 * changed here. Therefore new entries are put first, and an entry is identified by its pthread_t
 * and its stream. The table has as many entries as threads existed at the same time.
 */
struct thread_entry {
	struct thread_entry *next;
	pthread_t thread;
	uint32_t stream;
	bool in_table; /* memory belongs to the caller and is not freed */
	uint8_t fate;  /* enum thread_fate */
};

/* The stream of the main thread, which no thread created, but which can be joined. */
#define THREAD_MAIN 0u
#define THREAD_UNKNOWN UINT32_MAX

struct thread_known {
	uint32_t stream; /* THREAD_UNKNOWN: the thread is not in the table */
	enum thread_fate fate;
};

/* Adds a new thread. The table uses `entry`, or memory that it allocates if that is NULL. */
void thread_table_add(struct thread_entry *entry, pthread_t thread, uint32_t stream,
		      enum thread_fate fate);

/* Returns the newest entry of `thread`, or one with THREAD_UNKNOWN. */
struct thread_known thread_table_find(pthread_t thread);

/* Returns the stream of a thread that was not joined or detached, otherwise THREAD_UNKNOWN. */
uint32_t thread_table_stream(pthread_t thread);

/* Changes the entry of this thread and stream, if it still exists. */
void thread_table_set_fate(pthread_t thread, uint32_t stream, enum thread_fate fate);

/* Called in the child of a fork, in which the caller is the only thread. */
void thread_table_after_fork(void);

#endif
