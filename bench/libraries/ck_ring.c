// LIBS: -lck

// A ring with one producer and one consumer.
#include <ck_ring.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static ck_ring_t ring;
static ck_ring_buffer_t buffer[8];

static void *producer(void *unused)
{
	for (int i = 0; i < 3; i++) {
		int *item = malloc(sizeof *item);

		*item = i;
		while (!ck_ring_enqueue_spsc(&ring, buffer, item))
			sched_yield();
#ifdef BUG
		*item = -1;
#endif
	}
	return unused;
}

int main(void)
{
	pthread_t thread;
	int sum = 0;

	ck_ring_init(&ring, 8);
	pthread_create(&thread, NULL, producer, NULL);
	for (int i = 0; i < 3; i++) {
		int *item;

		while (!ck_ring_dequeue_spsc(&ring, buffer, &item))
			sched_yield();
		sum += *item;
		free(item);
	}
	pthread_join(thread, NULL);
	return sum > 99;
}
