/*
 * Producers and consumers around a bounded queue with a mutex and two condition variables: mostly
 * synchronisation, and blocking. An item is a small buffer that one thread fills and another one
 * sums up.
 *
 *	prodcons [ITEMS [PAIRS]]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define ROOM 64
#define WORDS 64
#define PAIRS_MAX 8

struct item {
	unsigned words[WORDS];
};

static struct queue {
	pthread_mutex_t lock;
	pthread_cond_t not_empty, not_full;
	struct item *items[ROOM];
	unsigned first, count;
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER,
	    .not_empty = PTHREAD_COND_INITIALIZER,
	    .not_full = PTHREAD_COND_INITIALIZER };

static int items = 40000, pairs = 1;
static unsigned long sums[PAIRS_MAX];

static void put(struct queue *q, struct item *item)
{
	pthread_mutex_lock(&q->lock);
	while (q->count == ROOM)
		pthread_cond_wait(&q->not_full, &q->lock);
	q->items[(q->first + q->count++) % ROOM] = item;
	pthread_cond_signal(&q->not_empty);
	pthread_mutex_unlock(&q->lock);
}

static struct item *get(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	while (q->count == 0)
		pthread_cond_wait(&q->not_empty, &q->lock);
	struct item *item = q->items[q->first];
	q->first = (q->first + 1) % ROOM;
	q->count--;
	pthread_cond_signal(&q->not_full);
	pthread_mutex_unlock(&q->lock);
	return item;
}

static void *produce(void *argument)
{
	unsigned seed = (unsigned)(long)argument + 1;

	for (int i = 0; i < items; i++) {
		struct item *item = malloc(sizeof(*item));
		for (int k = 0; k < WORDS; k++) {
			seed = seed * 1664525 + 1013904223;
			item->words[k] = seed >> 8;
		}
		put(&queue, item);
	}
	return NULL;
}

static void *consume(void *argument)
{
	unsigned long sum = 0;

	for (int i = 0; i < items; i++) {
		struct item *item = get(&queue);
		for (int k = 0; k < WORDS; k++)
			sum += item->words[k] ^ (unsigned)k;
		free(item);
	}
	sums[(long)argument] = sum;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t producers[PAIRS_MAX], consumers[PAIRS_MAX];
	unsigned long sum = 0;

	if (argc > 1)
		items = atoi(argv[1]);
	if (argc > 2)
		pairs = atoi(argv[2]);
	for (long i = 0; i < pairs; i++) {
		pthread_create(&producers[i], NULL, produce, (void *)i);
		pthread_create(&consumers[i], NULL, consume, (void *)i);
	}
	for (int i = 0; i < pairs; i++) {
		pthread_join(producers[i], NULL);
		pthread_join(consumers[i], NULL);
		sum += sums[i];
	}
	printf("%lu\n", sum);
	return 0;
}
