// The hall's lock is held while a fork is taken and while it is put back, but not in between: two may have it
// at once. In the recorded run they come one after the other.
// property: grammars.prop
// violates: Exclusive take@TAKE
#include "pair.h"

struct fork {
	int number;
};
static struct fork fork_ = { 1 };

EVENT static void take(struct fork *f) // TAKE
{
	(void)f;
}

EVENT static void put_back(struct fork *f)
{
	(void)f;
}

static void eat(void)
{
	enter();
	take(&fork_);
#ifndef FIXED
	leave();
	enter();
#endif
	put_back(&fork_);
	leave();
}

static void *first(void *unused)
{
	eat();
	return unused;
}

static void *second(void *unused)
{
	eat();
	return unused;
}
