// Paper 000, section 1: the plane lands if the tower permits it, while the radio may go off. No order of
// what a good run did violates the property: the run that does goes another way at `if (permit)`.
// property: explored_formulas.prop
// explores: LandsIfPermitted modified@REFUSED
#include "pair.h"

#include <stdatomic.h>

atomic_int permit, landing;

static int check_tower(void)
{
	return 1;
}

/* The radio. */
static void *first(void *unused)
{
	permit = 0;
	return unused;
}

/* Control. */
static void *second(void *unused)
{
	permit = check_tower();
#ifdef FIXED
	landing = 1;
#else
	if (permit)
		landing = 1;
	else
		landing = 0; // REFUSED
#endif
	return unused;
}
