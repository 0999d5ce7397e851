// Threads that are cancelled, at each sort of call, asynchronously, or not at all; and what goes on after that.
// build: -fexceptions
#include "say.h"

#include <poll.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t there, nothing;
static int ends[2];
static unsigned long shared, spins;
static volatile unsigned long plain[64];
static pthread_t forever;

static void clean(void *what)
{
	printf("cleaned %s\n", (const char *)what);
}

static void release(void *unused)
{
	(void)unused;
	printf("has the lock: %d\n", pthread_mutex_trylock(&lock));
	pthread_mutex_unlock(&lock);
}

/* A thread that is at `call` when it is cancelled, or comes there after that. */
#define AT(name, call)                                                                             \
	static void *name(void *unused)                                                            \
	{                                                                                          \
		char byte;                                                                         \
		(void)byte;                                                                        \
		pthread_cleanup_push(clean, #name " outer");                                       \
		pthread_cleanup_push(clean, #name " inner");                                       \
		sem_post(&there);                                                                  \
		(void)!(call);                                                                     \
		printf("not reached\n");                                                           \
		pthread_cleanup_pop(0);                                                            \
		pthread_cleanup_pop(0);                                                            \
		return unused;                                                                     \
	}
AT(in_read, read(ends[0], &byte, 1))
AT(in_sem_wait, sem_wait(&nothing))
AT(in_sleep, sleep(1000))
AT(in_pause, pause())
AT(in_poll, poll(NULL, 0, -1))
AT(in_select, select(0, NULL, NULL, NULL, NULL))
AT(in_join, pthread_join(forever, NULL))
AT(in_nanosleep, nanosleep(&(struct timespec){ 1000, 0 }, NULL))

static void *in_wait(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(release, NULL);
	sem_post(&there);
	for (;;)
		pthread_cond_wait(&never, &lock);
	pthread_cleanup_pop(0);
	return unused;
}

static void *in_testcancel(void *unused)
{
	sem_post(&there);
	for (;;)
		pthread_testcancel();
	return unused;
}

/* At any moment: in the middle of accesses, of atomic operations, of a buffer that is written. */
static void *anywhere(void *unused)
{
	int old;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
	sem_post(&there);
	for (unsigned long i = 0;; i++) {
		plain[i % 64] += i;
		__atomic_fetch_add(&spins, 1, __ATOMIC_SEQ_CST);
	}
	return unused;
}

static void *not_at_all(void *unused)
{
	int old, state;

	SAY(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old));
	SAY(old);
	SAY(pthread_setcancelstate(77, &old));
	SAY(pthread_setcanceltype(77, &old));
	sem_post(&there);
	usleep(1000);
	sem_wait(&nothing);
	SAY(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state));
	SAY(state);
	return &shared;
	(void)unused;
}

static void cancel(const char *name, void *(*routine)(void *))
{
	pthread_t thread;
	void *result = NULL;

	pthread_create(&thread, NULL, routine, NULL);
	sem_wait(&there);
	int answer = pthread_cancel(thread);
	if (routine == not_at_all)
		sem_post(&nothing);
	pthread_join(thread, &result);
	printf("%s: %d, cancelled %d, result %d\n", name, answer, result == PTHREAD_CANCELED,
	       result == (void *)&shared);
}

static void *live_on(void *unused)
{
	sem_wait(&nothing);
	return unused;
}

int main(void)
{
	sem_init(&there, 0, 0);
	sem_init(&nothing, 0, 0);
	if (pipe(ends))
		return 1;
	pthread_create(&forever, NULL, live_on, NULL);
#define CANCEL(name) cancel(#name, name)
	CANCEL(in_join);
	CANCEL(in_read);
	CANCEL(in_sleep);
	CANCEL(in_pause);
	CANCEL(in_poll);
	CANCEL(in_select);
	CANCEL(in_nanosleep);
	CANCEL(in_wait);
	CANCEL(in_testcancel);
	for (int i = 0; i < 600; i++) {
		CANCEL(anywhere);
		/* Nothing of what it was in the middle of is in anybody's way. */
		__atomic_fetch_add(&spins, 1, __ATOMIC_SEQ_CST);
		pthread_mutex_lock(&lock);
		shared++;
		pthread_mutex_unlock(&lock);
	}
	sem_post(&nothing);
	pthread_join(forever, NULL);
	CANCEL(in_sem_wait);
	CANCEL(not_at_all);
	SAY(shared);
	return 0;
}
