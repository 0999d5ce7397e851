// Made by whoever comes first, who is not alone to look. In the recorded run the second one finds it.
// property: explored.prop
// explores: Twice once@MAKE once@MAKE
#include "pair.h"

static int object, *made;

EVENT void make(int *o) // MAKE
{
	(void)o;
}

static void get(void)
{
	int *there;

	enter();
	there = made;
#ifndef FIXED
	leave();
#endif
	if (!there) {
		make(&object);
#ifndef FIXED
		enter();
#endif
		made = &object;
#ifndef FIXED
		leave();
#endif
	}
#ifdef FIXED
	leave();
#endif
}

static void *first(void *unused)
{
	get();
	return unused;
}

static void *second(void *unused)
{
	get();
	return unused;
}
