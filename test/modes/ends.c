// pthread_exit out of nested calls with cleanup handlers, of the main thread too; atexit handlers; a
// detached thread; output that is still in stdio's buffer when the process ends.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int cleaned, last;

static void clean(void *amount)
{
	cleaned = cleaned + (int)(long)amount;
}

static void leave(int depth)
{
	pthread_cleanup_push(clean, (void *)(long)depth);
	if (depth == 0)
		pthread_exit((void *)99);
	leave(depth - 1);
	pthread_cleanup_pop(0);
}

static void *work(void *unused)
{
	(void)unused;
	leave(3);
	return NULL;
}

static void *wait_for(void *thread)
{
	void *result;

	pthread_join(*(pthread_t *)thread, &result);
	assert(result == (void *)99 && cleaned == 6);
	printf("cleaned %d\n", cleaned);
	last = 1;
	return NULL;
}

static void at_end(void)
{
	assert(last == 1);
}

int main(void)
{
	static pthread_t worker;
	pthread_t waiter;

	atexit(at_end);
	setvbuf(stdout, NULL, _IOFBF, 1024);
	pthread_create(&worker, NULL, work, NULL);
	pthread_create(&waiter, NULL, wait_for, &worker);
	pthread_detach(waiter);
	pthread_exit(NULL);
}
