// Who finds it free takes it, in another critical section. In the recorded run the second one finds that it
// is gone.
// property: explored_formulas.prop
// explores: TakenByOne take@TAKE
#include "pair.h"

static int object, taken;

EVENT void take(int *o) // TAKE
{
	(void)o;
}

EVENT void give(int *o)
{
	(void)o;
}

static int try_to_take(void)
{
	int is_free;

	enter();
	is_free = !taken;
#ifndef FIXED
	leave();
	enter();
#endif
	taken = 1;
	if (is_free)
		take(&object);
	leave();
	return is_free;
}

static void put_back(void)
{
	enter();
	give(&object);
	taken = 0;
	leave();
}

static void *first(void *unused)
{
	try_to_take();
	return unused;
}

static void *second(void *unused)
{
	if (try_to_take())
		put_back();
	return unused;
}
