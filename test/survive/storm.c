/*
 * storm COUNT [FILE]: signals, each of which is counted, as fast as they can be sent, to threads that are in the
 * middle of accesses, atomic operations, locks and the heap. The handler does some of that itself, and is
 * interrupted in turn. FILE gets how many it handled in a second.
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define THREADS 3
#define ROOM 600 /* as many may be on their way: no queue of the kernel overflows */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long shared, handled, spins;
static volatile unsigned long cells[64];
static _Bool over;
static sem_t room;

static void on_signal(int number)
{
	__atomic_fetch_add(&handled, 1, __ATOMIC_SEQ_CST);
	for (int i = 0; i < 20; i++)
		cells[(i + number) % 64] = handled;
	sem_post(&room);
}

static void *work(void *unused)
{
	while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE)) {
		char *block = malloc(64);
		for (int i = 0; i < 50; i++)
			cells[i] += (unsigned long)i;
		pthread_mutex_lock(&lock);
		block[5] = 1;
		shared += (unsigned long)block[5];
		pthread_mutex_unlock(&lock);
		__atomic_fetch_add(&spins, 1, __ATOMIC_SEQ_CST);
		free(block);
	}
	return unused;
}

static void say_rate(const char *name, unsigned long count, const struct timespec *from)
{
	struct timespec to;

	clock_gettime(CLOCK_MONOTONIC, &to);
	FILE *out = name ? fopen(name, "w") : NULL;
	double seconds =
		(double)(to.tv_sec - from->tv_sec) + (double)(to.tv_nsec - from->tv_nsec) / 1e9;
	if (out) {
		fprintf(out, "%.0f\n", (double)count / seconds);
		fclose(out);
	}
}

int main(int argc, char **argv)
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	pthread_t threads[THREADS];
	struct timespec from;

	sem_init(&room, 0, ROOM);
	sigaction(SIGRTMIN, &action, NULL);
	sigaction(SIGRTMIN + 1, &action, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (unsigned long i = 0; i < count; i++) {
		while (sem_wait(&room))
			;
		pthread_kill(threads[i % THREADS], SIGRTMIN + (int)(i / 7 % 2));
	}
	for (int i = 0; i < ROOM; i++)
		while (sem_wait(&room))
			;
	say_rate(argc > 2 ? argv[2] : NULL, count, &from);
	__atomic_store_n(&over, 1, __ATOMIC_RELEASE);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("handled %lu, worked %d\n", handled, shared > 0 && spins > 0);
	return 0;
}
