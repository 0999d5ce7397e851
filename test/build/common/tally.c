#include "tally.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

void tally_add(int n)
{
	pthread_mutex_lock(&lock);
	total += n;
	pthread_mutex_unlock(&lock);
}

int tally_total(void)
{
	pthread_mutex_lock(&lock);
	int now = total;
	pthread_mutex_unlock(&lock);
	return now;
}
