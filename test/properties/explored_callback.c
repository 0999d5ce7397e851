// A callback is taken out of its place under the lock and called without it: meanwhile it may have been
// unregistered. In the recorded run none is registered yet.
// property: explored.prop
// explores: UsedLate over@STOP use@USE
#include "pair.h"

static int object, *callback;

EVENT void stop(int *o) // STOP
{
	(void)o;
}

EVENT void use(int *o) // USE
{
	(void)o;
}

static void *first(void *unused)
{
	int *taken;

	enter();
	taken = callback;
#ifdef FIXED
	if (taken)
		use(taken);
	leave();
#else
	leave();
	if (taken)
		use(taken);
#endif
	return unused;
}

static void *second(void *unused)
{
	enter();
	callback = &object;
	leave();
	enter();
	callback = 0;
	stop(&object);
	leave();
	return unused;
}
