/* Paper 001, example 2. Fixed: each thread does both under a lock. */
#include <pthread.h>

int x = -1, y, z;
static pthread_mutex_t both = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused)
{
#ifdef FIXED
	pthread_mutex_lock(&both);
#endif
	x++;
	y = x + 1;
#ifdef FIXED
	pthread_mutex_unlock(&both);
#endif
	return unused;
}

static void *second(void *unused)
{
#ifdef FIXED
	pthread_mutex_lock(&both);
#endif
	z = x + 1;
	x++;
#ifdef FIXED
	pthread_mutex_unlock(&both);
#endif
	return unused;
}

int main(void)
{
	pthread_t t[2];

	(void)both;
	pthread_create(&t[0], NULL, first, NULL);
	pthread_create(&t[1], NULL, second, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
