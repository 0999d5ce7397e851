// An object is used again if its generation is that which was seen; it has been given up meanwhile, and the
// number has come again (ABA). In the recorded run the number is another one.
// property: explored.prop
// explores: UsedLate over@STOP use@USE
#include "pair.h"

static int object, generation = 1;

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
	if (generation == 0)
		use(&object);
	leave();
	return unused;
}

static void *second(void *unused)
{
	enter();
	stop(&object);
#ifdef FIXED
	generation += 2;
#else
	generation = (generation + 1) % 2;
#endif
	leave();
	return unused;
}
