// Publication through an atomic flag is silent; what is written behind the flag races.
// build: -pthread
// plain: lib/turn.c
// stdout: 42 7
// predict: race late@WRITE late@READ
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static int data, late;
static atomic_int ready;

static void *publish(void *unused)
{
	data = 42;
	atomic_store_explicit(&ready, 1, memory_order_release);
	late = 7; // WRITE
	turn_done();
	return unused;
}

int main(void)
{
	pthread_t thread;
	int seen;

	pthread_create(&thread, NULL, publish, NULL);
	turn_wait(1);
	while (!atomic_load_explicit(&ready, memory_order_acquire))
		;
	seen = late; // READ
	printf("%d %d\n", data, seen);
	pthread_join(thread, NULL);
	return 0;
}
