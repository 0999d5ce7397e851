/*
 * The C library writes `early` before anything else does, `late` behind a write of ours, and `unread`,
 * which nobody reads again.
 */
#include <pthread.h>
#include <stdio.h>

int go, early, late, unread, sum;

static void *start(void *unused)
{
	go = 1;
	return unused;
}

int main(void)
{
	pthread_t t;

	late = 1;
	if (sscanf("9 9 9", "%d %d %d", &early, &late, &unread) != 3)
		return 1;
	sum = early + late;
	pthread_create(&t, NULL, start, NULL);
	pthread_join(t, NULL);
	return 0;
}
