// A lock is taken where a request starts and released where it ends, in other functions. One way out forgets
// the inner one.
// property: balanced-locks
// violates: observed BalancedLocks give@END
#include <pthread.h>

static pthread_mutex_t service = PTHREAD_MUTEX_INITIALIZER, cache = PTHREAD_MUTEX_INITIALIZER;
static int cached;

static void start(void)
{
	pthread_mutex_lock(&service);
}

static void finish(void)
{
	pthread_mutex_unlock(&service); // END
}

static int look_up(int key)
{
	pthread_mutex_lock(&cache);
	if (cached == key) {
#ifdef FIXED
		pthread_mutex_unlock(&cache);
#endif
		return 1;
	}
	cached = key;
	pthread_mutex_unlock(&cache);
	return 0;
}

static void *serve(void *key)
{
	start();
	look_up(*(int *)key);
	finish();
	return NULL;
}

int main(void)
{
	int key = 7;
	pthread_t thread;

	for (int i = 0; i < 2; i++) {
		pthread_create(&thread, NULL, serve, &key);
		pthread_join(thread, NULL);
	}
	return 0;
}
