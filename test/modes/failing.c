// Ends of every sort, depending on the schedule: a deadlock, a failed assertion, an exit in the middle,
// an access to nowhere.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int order, *pointer = &order;

static void *first(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&a);
	order = order * 2 + 1;
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	if (order == 1)
		exit(3);
	return NULL;
}

static void *second(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&b);
	order = order * 3;
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	assert(order != 7);
	pointer = NULL;
	return NULL;
}

int main(void)
{
	pthread_t thread[2];

	pthread_create(&thread[0], NULL, first, NULL);
	pthread_create(&thread[1], NULL, second, NULL);
	*pointer = *pointer + 1;
	pthread_join(thread[0], NULL);
	pthread_join(thread[1], NULL);
	return 0;
}
