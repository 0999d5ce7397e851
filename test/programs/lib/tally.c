/* A shared library with state of its own; used by shared_library.c and dlopen.c. */
#include <pthread.h>

int tally_total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int mine;

int tally_add(int n);

int tally_add(int n)
{
	pthread_mutex_lock(&lock);
	tally_total += n;
	mine += n;
	pthread_mutex_unlock(&lock);
	return mine;
}
