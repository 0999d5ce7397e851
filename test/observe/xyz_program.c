/* Paper 001, example 2. */
#include <pthread.h>
#include <sched.h>

int x = -1, y, z;

static void *first(void *unused)
{
	int next;

	x++;
	next = x + 1;
	sched_yield(); /* the other one goes on here, as in the paper */
	y = next;
	return unused;
}

static void *second(void *unused)
{
	z = x + 1;
	x++;
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
