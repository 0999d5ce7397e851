// A consumer waits with `if`: when it comes back, another may have been quicker.
// property: wait-without-loop
// violates: observed WaitWithoutLoop woken@WAIT go@TAKE
#include <pthread.h>

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	int count, taken;
};
static struct queue queue = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0 };

static void queue_take(struct queue *q) // TAKE
{
	q->count--;
	q->taken++;
}

static void *consume(void *given)
{
	struct queue *q = given;

	pthread_mutex_lock(&q->lock);
#ifdef FIXED
	while (!q->count)
		pthread_cond_wait(&q->filled, &q->lock);
#else
	if (!q->count)
		pthread_cond_wait(&q->filled, &q->lock); // WAIT
#endif
	queue_take(q);
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

static void *produce(void *given)
{
	struct queue *q = given;

	pthread_mutex_lock(&q->lock);
	q->count++;
	pthread_cond_signal(&q->filled);
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

int main(void)
{
	pthread_t consumer, producer;

	pthread_create(&consumer, NULL, consume, &queue);
	pthread_create(&producer, NULL, produce, &queue);
	pthread_join(consumer, NULL);
	pthread_join(producer, NULL);
	return queue.taken != 1;
}
