// A reader under a sequence lock that looks at the number before, but not again after.
// explore: assertion FAILS
// build: -pthread
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "work.h"

static atomic_int sequence, x, y;

static void *update(void *unused)
{
	sequence++;
	x++;
	y++;
	sequence++;
	return unused;
}

static bool read_both(int *to_x, int *to_y)
{
	int before = sequence;

	*to_x = x;
	*to_y = y;
#ifdef FIXED
	return before % 2 == 0 && sequence == before;
#else
	return before % 2 == 0;
#endif
}

static void *look(void *unused)
{
	int seen_x, seen_y;

	if (read_both(&seen_x, &seen_y))
		assert(seen_x == seen_y); // FAILS
	return unused;
}

int main(void)
{
	pthread_t updater, looker;

	pthread_create(&updater, NULL, update, NULL);
	work(10);
	pthread_create(&looker, NULL, look, NULL);
	pthread_join(updater, NULL);
	pthread_join(looker, NULL);
	return 0;
}
