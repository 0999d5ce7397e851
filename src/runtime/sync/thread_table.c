/* A hash table of the program's threads by pthread_t, under a spin lock. */
#include "runtime/sync/thread_table.h"

#include "runtime/sched/fiber.h"
#include "runtime/host/backoff.h"
#include "runtime/host/libc_next.h"

#include <stdatomic.h>
#include <unistd.h>

#define BUCKETS 512u /* 9 bits: see bucket_of() */
/* Exactly one page, so that restoring it between runs is cheap (per_run.h). */
static struct thread_entry *buckets[BUCKETS] __attribute__((aligned(4096)));
static atomic_flag table_busy = ATOMIC_FLAG_INIT;

/*
 * Fibers need no lock: no other kernel thread runs, and a fiber is not switched while it uses the
 * table.
 */
static void table_lock(void)
{
	if (fiber_on())
		return;
	for (unsigned tries = 0;
	     atomic_flag_test_and_set_explicit(&table_busy, memory_order_acquire); tries++)
		backoff(tries);
}

static void table_unlock(void)
{
	if (!fiber_on())
		atomic_flag_clear_explicit(&table_busy, memory_order_release);
}

static struct thread_entry **bucket_of(pthread_t thread)
{
	/*
	 * A pthread_t is an address in the thread's stack. Fibonacci hashing: the top 9 bits are
	 * used.
	 */
	return &buckets[(uint64_t)thread * 0x9e3779b97f4a7c15ull >> 55];
}

static void drop_entry(struct thread_entry **at)
{
	struct thread_entry *entry = *at;

	*at = entry->next;
	if (!entry->in_table)
		real()->free(entry);
}

void thread_table_add(struct thread_entry *entry, pthread_t thread, uint32_t stream,
		      enum thread_fate fate)
{
	bool in_table = entry != NULL;

	if (!in_table)
		entry = real()->malloc(sizeof(*entry));
	if (!entry)
		return; /* a join of the thread will be recorded as unmodelled */
	table_lock();
	*entry = (struct thread_entry){ *bucket_of(thread), thread, stream, in_table,
					(uint8_t)fate };
	*bucket_of(thread) = entry;
	for (struct thread_entry **e = &entry->next; *e;) {
		if (pthread_equal((*e)->thread, thread) && (*e)->fate >= THREAD_JOINED)
			drop_entry(e);
		else
			e = &(*e)->next;
	}
	table_unlock();
}

static pthread_t main_thread;

__attribute__((constructor(101))) static void find_main(void)
{
	if (gettid() == getpid())
		main_thread = pthread_self();
}

struct thread_known thread_table_find(pthread_t thread)
{
	struct thread_known known = { THREAD_UNKNOWN, THREAD_JOINABLE };

	table_lock();
	for (struct thread_entry *e = *bucket_of(thread); e; e = e->next) {
		if (pthread_equal(e->thread, thread)) {
			known = (struct thread_known){ e->stream, e->fate };
			break;
		}
	}
	table_unlock();
	if (known.stream == THREAD_UNKNOWN && main_thread && pthread_equal(thread, main_thread))
		known.stream = THREAD_MAIN;
	return known;
}

uint32_t thread_table_stream(pthread_t thread)
{
	struct thread_known known = thread_table_find(thread);

	return known.fate < THREAD_JOINED ? known.stream : THREAD_UNKNOWN;
}

void thread_table_set_fate(pthread_t thread, uint32_t stream, enum thread_fate fate)
{
	bool newest = true;

	table_lock();
	for (struct thread_entry **e = bucket_of(thread); *e; e = &(*e)->next) {
		if (!pthread_equal((*e)->thread, thread))
			continue;
		if ((*e)->stream != stream) {
			newest = false;
			continue;
		}
		if (newest)
			(*e)->fate = (uint8_t)fate;
		else
			drop_entry(e);
		break;
	}
	table_unlock();
}

void thread_table_after_fork(void)
{
	main_thread = pthread_self();
	for (unsigned i = 0; i < BUCKETS; i++)
		/*
		 * not freed: the threads that used them are gone, perhaps in the middle of a change
		 */
		buckets[i] = NULL;
	table_unlock();
}
