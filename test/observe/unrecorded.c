/*
 * The C library writes `early` before anything else does, `late` behind a write of ours, and `unread`,
 * which nobody reads again.
 */
#include <math.h>
#include <pthread.h>

int go, early, late, unread, sum;

static void *start(void *unused)
{
	go = 1;
	return unused;
}

int main(void)
{
	volatile double number = 256; /* 2 to the 9th, halved */
	pthread_t t;

	late = 1;
	frexp(number, &early);
	frexp(number, &late);
	frexp(number, &unread);
	sum = early + late;
	pthread_create(&t, NULL, start, NULL);
	pthread_join(t, NULL);
	return 0;
}
