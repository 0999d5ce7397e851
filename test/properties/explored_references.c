// The last one ends it, but each looks at the count in a critical section of its own: both may be the last.
// property: explored.prop
// explores: Unbalanced end@FINISH end@FINISH
#include "pair.h"

static int object, references = 2;

EVENT void begin(int *o)
{
	(void)o;
}

EVENT void finish(int *o) // FINISH
{
	(void)o;
}

static void drop(void)
{
	int left;

	enter();
	references--;
#ifndef FIXED
	leave();
	enter();
#endif
	left = references;
	leave();
	if (left == 0)
		finish(&object);
}

static void *first(void *unused)
{
	begin(&object);
	drop();
	return unused;
}

static void *second(void *unused)
{
	drop();
	return unused;
}
