// A library that is not recorded orders its callers by a lock of its own, and hands over items. No finding may depend on
// an order that such a library may impose; what is not ordered at all is found as ever.
// build: -pthread
// opaque: lib/closed.c
// stdout: 40 10 1
// text: ^T1\|opaque\(
// predict: race loose@FIRST loose@SECOND
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

void closed_lock(void);
void closed_unlock(void);
void closed_put(void **item);
void **closed_take(void);

struct item {
	void *next;
	int value;
};

static int loose, count, sum;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;

static void count_up(void)
{
	for (int i = 0; i < 20; i++) {
		closed_lock();
		count++;
		closed_unlock();
	}
}

static void *make(void *unused)
{
	loose = 1; // FIRST
	count_up();
	for (int i = 0; i < 5; i++) {
		struct item *item = malloc(sizeof(*item));
		item->value = i;
		pthread_mutex_lock(&mutex);
		closed_put(&item->next);
		pthread_cond_signal(&filled);
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

static void *use(void *unused)
{
	loose = 2; // SECOND
	count_up();
	for (int i = 0; i < 5; i++) {
		struct item *item;
		pthread_mutex_lock(&mutex);
		while (!(item = (struct item *)closed_take()))
			pthread_cond_wait(&filled, &mutex);
		pthread_mutex_unlock(&mutex);
		sum += item->value;
		free(item);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, make, NULL);
	pthread_create(&threads[1], NULL, use, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d %d\n", count, sum, loose > 0);
	return 0;
}
