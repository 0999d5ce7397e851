/* Paper 000, section 7. Fixed: z is under the lock as well. */
#include <pthread.h>

int x, y, z;
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused)
{
#ifndef FIXED
	z = 1; // FIRST
#endif
	pthread_mutex_lock(&l);
#ifdef FIXED
	z = 1;
#endif
	x = 0;
	pthread_mutex_unlock(&l);
	return unused;
}

static void *second(void *unused)
{
	pthread_mutex_lock(&l);
	y = 10;
#ifdef FIXED
	z = 0;
#endif
	pthread_mutex_unlock(&l);
#ifndef FIXED
	z = 0; // SECOND
#endif
	return unused;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, first, NULL);
	pthread_create(&t[1], NULL, second, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
