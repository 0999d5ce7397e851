// Whether there is enough is asked in one critical section, paid is in another. In the recorded run the
// second one sees that there is not enough.
// property: explored_formulas.prop
// explores: NeverOverdrawn pay@PAY
#include "pair.h"

int balance = 100;

static void withdraw(void)
{
	int enough;

	enter();
	enough = balance >= 100;
#ifndef FIXED
	leave();
	enter();
#endif
	if (enough)
		balance -= 100; // PAY
	leave();
}

static void *first(void *unused)
{
	withdraw();
	return unused;
}

static void *second(void *unused)
{
	withdraw();
	return unused;
}
