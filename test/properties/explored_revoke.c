// A session is revoked before its flag says so. In the recorded run it is not granted yet.
// property: explored.prop
// explores: UsedLate over@STOP use@USE
#include "pair.h"

#include <stdatomic.h>

static int object;
static atomic_int granted;

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
#ifdef FIXED
	enter();
#endif
	if (granted)
		use(&object);
#ifdef FIXED
	leave();
#endif
	return unused;
}

static void *second(void *unused)
{
	granted = 1;
#ifdef FIXED
	enter();
#endif
	stop(&object);
	granted = 0;
#ifdef FIXED
	leave();
#endif
	return unused;
}
