/*
 * jigsaw: a server counts requests and stores the last one without a lock, among many operations
 * under locks. 11 threads besides main.
 */
#include <pthread.h>
#include <stdio.h>

#define THREADS 11
#define REQUESTS 10
#define STEPS 38

struct server {
	int hits, last;
};
struct server server;
static pthread_mutex_t store_lock = PTHREAD_MUTEX_INITIALIZER;
static int store[256];

static void serve(unsigned seed)
{
	unsigned again = seed;
	int served = 0;

	pthread_mutex_lock(&store_lock);
	for (int i = 0; i < STEPS; i++) {
		seed = seed * 1103515245 + 12345;
		store[(seed >> 16) % 256] = i;
	}
	for (int i = 0; i < STEPS; i++) {
		again = again * 1103515245 + 12345;
		served += store[(again >> 16) % 256] >= 0;
	}
	pthread_mutex_unlock(&store_lock);
	if (served != STEPS)
		puts("lost?");
}

static void *client(void *number)
{
	unsigned who = (unsigned)(long)number;

	for (unsigned i = 0; i < REQUESTS; i++)
		serve(who * 100 + i);
	server.hits++;
	server.last = (int)who;
	serve(who * 100 + 50);
	if (server.last < 0)
		puts("nobody?");
	for (unsigned i = 0; i < REQUESTS; i++)
		serve(who * 100 + i);
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, client, (void *)(i + 1));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%d hits\n", server.hits);
	return 0;
}
