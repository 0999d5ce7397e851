// A thread that may be cancelled at any instruction: what it does then is behind what was done before it was
// cancelled, and not before what the one that cancels does next.
// build: -pthread
// plain: lib/turn.c
// stdout: 2 3 2
// predict: race loose@CLEANUP loose@CANCELLER
#include <pthread.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static pthread_key_t key;
static int cleaned, destroyed, loose;

static void destroy(void *unused)
{
	(void)unused;
	destroyed++;
	turn_done();
}

static void clean(void *unused)
{
	(void)unused;
	cleaned++;
	loose = 1; // CLEANUP
}

static void *compute(void *something)
{
	int old;

	pthread_setspecific(key, something);
	pthread_cleanup_push(clean, NULL);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
	turn_done();
	turn_wait(100);
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_key_create(&key, destroy);
	pthread_create(&thread, NULL, compute, &key);
	turn_wait(1);
	cleaned = 1;
	destroyed = 2;
	pthread_cancel(thread);
	turn_wait(2);
	loose = 2; // CANCELLER
	pthread_join(thread, NULL);
	printf("%d %d %d\n", cleaned, destroyed, loose);
	return 0;
}
