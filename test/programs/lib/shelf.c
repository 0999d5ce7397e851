/* A library with a variable that its users guard, or not; used by predict_unload.c. */
#include <pthread.h>

int shelf_loose;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int guarded;

int shelf_put(int n);

int shelf_put(int n)
{
	pthread_mutex_lock(&lock);
	guarded = n;
	pthread_mutex_unlock(&lock);
	return n + 1;
}
