// What a pointer points at is 0 while it is changed. Nobody but the property reads it there.
// property: explored.prop
// explores: SentTo send@SEND
#include "pair.h"

static int address = 1;

EVENT void send_to(const int *where) // SEND
{
	(void)where;
}

static void *first(void *unused)
{
#ifdef FIXED
	enter();
#endif
	send_to(&address);
#ifdef FIXED
	leave();
#endif
	return unused;
}

static void *second(void *unused)
{
	enter();
	address = 0;
	asm volatile("" ::: "memory");
	address = 2;
	leave();
	return unused;
}
