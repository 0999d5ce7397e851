// Who finds no owner becomes it; the look and the taking are two steps. In the recorded run the second one
// finds that there is one.
// property: explored.prop
// explores: AtOnce use@USE use@USE
#include "pair.h"

#include <stdatomic.h>

static int object;
static atomic_int owned;

EVENT void use(int *o) // USE
{
	(void)o;
}

static void own(void)
{
#ifdef FIXED
	if (atomic_exchange(&owned, 1))
		return;
#else
	if (owned)
		return;
	owned = 1;
#endif
	use(&object);
}

static void *first(void *unused)
{
	own();
	return unused;
}

static void *second(void *unused)
{
	own();
	return unused;
}
