// One guide goes out with the group and another one back with it; nobody sees to it that the first one has
// gone. The run may end in other rooms than it began.
// property: grammars.prop
// violates: Palindrome over@BLUE
#include "pair.h"

#include <semaphore.h>

static sem_t out;

EVENT static void through_red(void)
{
}

EVENT static void through_blue(void) // BLUE
{
}

static void *first(void *unused)
{
	through_red();
	through_blue();
	sem_post(&out);
	return unused;
}

static void *second(void *unused)
{
#ifdef FIXED
	sem_wait(&out);
#endif
	through_blue();
	through_red();
	return unused;
}
