// A lock that cannot be had at once is done without. In the recorded run it can.
// property: explored.prop
// explores: AtOnce use@USE use@USE
#include "pair.h"

static int object;

EVENT void use(int *o) // USE
{
	(void)o;
}

static void work(void)
{
	int failed = pthread_mutex_trylock(&lock);

#ifdef FIXED
	if (failed)
		return;
#endif
	use(&object);
	if (!failed)
		leave();
}

static void *first(void *unused)
{
	work();
	return unused;
}

static void *second(void *unused)
{
	work();
	return unused;
}
