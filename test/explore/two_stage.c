// Two stages under two locks: who looks between the stages sees the first without the second.
// explore: assertion FAILS
// build: -pthread
#include <assert.h>
#include <pthread.h>

#include "work.h"

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int request, answer;

static void *make(void *unused)
{
	pthread_mutex_lock(&first);
	request = 1;
#ifndef FIXED
	pthread_mutex_unlock(&first);
#endif
	pthread_mutex_lock(&second);
	answer = request + 1;
	pthread_mutex_unlock(&second);
#ifdef FIXED
	pthread_mutex_unlock(&first);
#endif
	return unused;
}

static void *use(void *unused)
{
	int seen;

	pthread_mutex_lock(&first);
	seen = request;
	pthread_mutex_unlock(&first);
	if (seen == 0)
		return unused;
	pthread_mutex_lock(&second);
	assert(answer == seen + 1); // FAILS
	pthread_mutex_unlock(&second);
	return unused;
}

int main(void)
{
	pthread_t maker, user;

	pthread_create(&maker, NULL, make, NULL);
	work(10);
	pthread_create(&user, NULL, use, NULL);
	pthread_join(maker, NULL);
	pthread_join(user, NULL);
	return 0;
}
