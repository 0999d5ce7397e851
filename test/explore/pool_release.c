// A connection is given back by its user and by the reaper of idle ones; whether it is in use is
// looked at before the pool is locked.
// explore: assertion FAILS
// build: -pthread
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "work.h"

#define CONNECTIONS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int unused_ones[CONNECTIONS] = { 0 }, unused_count = CONNECTIONS - 1;
static atomic_bool in_use[CONNECTIONS] = { false, true };

static void *give_back(void *nothing)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
	if (in_use[1]) {
#else
	if (in_use[1]) {
		pthread_mutex_lock(&lock);
#endif
		assert(unused_count < CONNECTIONS); // FAILS
		in_use[1] = false;
		unused_ones[unused_count++] = 1;
#ifdef FIXED
	}
	pthread_mutex_unlock(&lock);
#else
		pthread_mutex_unlock(&lock);
	}
#endif
	return nothing;
}

int main(void)
{
	pthread_t user, reaper;

	pthread_create(&user, NULL, give_back, NULL);
	work(10);
	pthread_create(&reaper, NULL, give_back, NULL);
	pthread_join(user, NULL);
	pthread_join(reaper, NULL);
	return 0;
}
