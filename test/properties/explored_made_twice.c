// Who finds it missing makes it, but behind the lock: two may find it missing.
// property: explored_formulas.prop
// explores: MadeOnce make@MAKE
#include "pair.h"

static int object, made;

EVENT void make(int *o) // MAKE
{
	(void)o;
}

EVENT void use(int *o)
{
	(void)o;
}

static void need(void)
{
	int missing;

	enter();
	missing = !made;
#ifndef FIXED
	leave();
#endif
	if (missing)
		make(&object);
#ifndef FIXED
	enter();
#endif
	made = 1;
	leave();
	use(&object);
}

static void *first(void *unused)
{
	need();
	return unused;
}

static void *second(void *unused)
{
	need();
	return unused;
}
