// A work-stealing deque whose thief takes without a compare-and-swap: the last item goes to both.
// explore: assertion FAILS
// build: -pthread
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "work.h"

#define ITEMS 2

static atomic_int top, bottom = ITEMS;
static atomic_int taken[ITEMS];

static bool claim(int item)
{
#ifdef FIXED
	return atomic_compare_exchange_strong(&top, &item, item + 1);
#else
	top = item + 1;
	return true;
#endif
}

static int pop(void)
{
	int item = bottom - 1;
	int oldest;
	bool mine;

	bottom = item;
	oldest = top;
	if (oldest < item)
		return item;
	mine = oldest == item && claim(item);
	bottom = item + 1;
	return mine ? item : -1;
}

static int steal(void)
{
	int item = top;

	return item < bottom && claim(item) ? item : -1;
}

static void take(int item)
{
	if (item >= 0)
		assert(atomic_fetch_add(&taken[item], 1) == 0); // FAILS
}

static void *own(void *unused)
{
	take(pop());
	take(pop());
	return unused;
}

static void *thieve(void *unused)
{
	take(steal());
	return unused;
}

int main(void)
{
	pthread_t owner, thief;

	pthread_create(&owner, NULL, own, NULL);
	work(10);
	pthread_create(&thief, NULL, thieve, NULL);
	pthread_join(owner, NULL);
	pthread_join(thief, NULL);
	return 0;
}
