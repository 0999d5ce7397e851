// Two threads change a name: each frees the old one.
// property: malloc-free
// violates: DoubleFree free@FREE free@FREE
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *name;

static void *change(void *unused)
{
	char *old;

#ifdef FIXED
	pthread_mutex_lock(&lock);
	old = name;
	name = NULL;
	free(old);
	name = malloc(32);
	pthread_mutex_unlock(&lock);
#else
	pthread_mutex_lock(&lock);
	old = name;
	pthread_mutex_unlock(&lock);
	free(old); // FREE
	old = malloc(32);
	pthread_mutex_lock(&lock);
	name = old;
	pthread_mutex_unlock(&lock);
#endif
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	name = malloc(32);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, change, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	free(name);
	return 0;
}
