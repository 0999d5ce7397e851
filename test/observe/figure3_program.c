/* Paper 000, figure 2. Fixed: the second thread is created when the first is over. */
#include <pthread.h>

int x, y, z;

static void *first(void *unused)
{
	x = -1;
	z = x + 3;
	return unused;
}

static void *second(void *unused)
{
	x = 1; // POSITIVE
	y = x + z;
	return unused;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, first, NULL);
#ifdef FIXED
	pthread_join(t[0], NULL);
#endif
	pthread_create(&t[1], NULL, second, NULL);
#ifndef FIXED
	pthread_join(t[0], NULL);
#endif
	pthread_join(t[1], NULL);
	return 0;
}
