// What looks torn and is not: a wait in the middle of a region, a loop that polls, counters, a log
// with a lock of its own inside of another's critical section, writes that change nothing, work that
// is done for who holds the lock.
// build: -pthread
// stdout: done
// predict: silent
#include "../../include/sooth/annotate.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, log_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items, dirty = 1;
static atomic_int served, stop, ready;
static char lines[64];
static int used;
static int handed;

static void say(char c)
{
	pthread_mutex_lock(&log_lock);
	lines[used] = c;
	used++;
	pthread_mutex_unlock(&log_lock);
}

/* The region waits: others are meant to come in. */
static void take(void)
{
	SOOTH_ATOMIC_BEGIN(take);
	pthread_mutex_lock(&lock);
	while (!items)
		pthread_cond_wait(&filled, &lock);
	items--;
	pthread_mutex_unlock(&lock);
	SOOTH_ATOMIC_END(take);
}

static void give(void)
{
	pthread_mutex_lock(&lock);
	items++;
	pthread_cond_signal(&filled);
	pthread_mutex_unlock(&lock);
}

/* Counters, and a flag that is looked at until it is set. */
static void serve(void)
{
	SOOTH_ATOMIC_BEGIN(serve);
	atomic_fetch_add(&served, 1);
	atomic_fetch_add(&served, 1);
	while (!atomic_load(&ready))
		;
	SOOTH_ATOMIC_END(serve);
}

/* Whoever writes down twice under the lock, and others without it: the log has its own. */
static void work(void)
{
	pthread_mutex_lock(&lock);
	say('a');
	if (!atomic_load(&stop))
		say('b');
	if (!atomic_load(&stop))
		say('c');
	pthread_mutex_unlock(&lock);
}

static void mark(void)
{
	SOOTH_ATOMIC_BEGIN(mark);
	pthread_mutex_lock(&lock);
	dirty = 1;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	dirty = dirty ? 1 : 0;
	pthread_mutex_unlock(&lock);
	SOOTH_ATOMIC_END(mark);
}

static void *help(void *unused)
{
	handed++;
	return unused;
}

/* A thread that works for who holds the lock. */
static void delegate(void)
{
	pthread_t helper;

	pthread_mutex_lock(&lock);
	handed++;
	pthread_create(&helper, NULL, help, NULL);
	pthread_join(helper, NULL);
	handed++;
	pthread_mutex_unlock(&lock);
}

static void *first(void *unused)
{
	take();
	serve();
	work();
	mark();
	delegate();
	return unused;
}

static void *second(void *unused)
{
	give();
	atomic_fetch_add(&served, 1);
	work();
	atomic_store(&ready, 1);
	mark();
	delegate();
	say('d');
	atomic_store(&stop, 1);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	if (!dirty)
		return 1;
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	puts("done");
	return 0;
}
