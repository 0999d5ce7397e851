// A ring hands a token on; who finds it with himself may count, who does not goes away. One member
// counts after it gave the token away.
// explore: assertion FAILS
// build: -pthread
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "work.h"

#define MEMBERS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int token, counted;

static bool has_token(int me)
{
	bool mine;

	pthread_mutex_lock(&lock);
	mine = token == me;
	pthread_mutex_unlock(&lock);
	return mine;
}

static void pass_on(int me)
{
	pthread_mutex_lock(&lock);
	token = me + 1;
	pthread_mutex_unlock(&lock);
}

static void *member(void *number)
{
	int me = (int)(intptr_t)number;

	if (!has_token(me))
		return NULL;
#ifndef FIXED
	if (me == 1) {
		pass_on(me);
		counted++;
		return NULL;
	}
#endif
	assert(counted == me); // FAILS
	counted++;
	pass_on(me);
	return NULL;
}

int main(void)
{
	pthread_t threads[MEMBERS];

	for (int i = 0; i < MEMBERS; i++) {
		pthread_create(&threads[i], NULL, member, (void *)(intptr_t)i);
		work(10);
	}
	for (int i = 0; i < MEMBERS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
