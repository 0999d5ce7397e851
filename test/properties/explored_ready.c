// Who is ready is used, closed or not. In the recorded run it is not ready yet.
// property: explored.prop
// explores: UsedLate over@STOP use@USE
#include "pair.h"

static int object, ready, closed;

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
	enter();
#ifdef FIXED
	if (ready && !closed)
#else
	if (ready)
#endif
		use(&object);
	leave();
	return unused;
}

static void *second(void *unused)
{
	enter();
	ready = 1;
	leave();
	enter();
	stop(&object);
	closed = 1;
	leave();
	return unused;
}
