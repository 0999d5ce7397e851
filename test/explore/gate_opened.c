// A mutex as a gate: main locks it, and another thread opens it. The library allows that, and no
// schedule hangs, although main waits for a thread that waits for main's mutex.
// explore: complete
// fixed: no
// build: -pthread
#include <pthread.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *pass(void *unused)
{
	pthread_mutex_lock(&gate);
	return unused;
}

static void *open(void *unused)
{
	pthread_mutex_unlock(&gate);
	return unused;
}

int main(void)
{
	pthread_t passing, opening;

	pthread_mutex_lock(&gate);
	pthread_create(&passing, NULL, pass, NULL);
	pthread_create(&opening, NULL, open, NULL);
	pthread_join(passing, NULL);
	pthread_join(opening, NULL);
	return 0;
}
