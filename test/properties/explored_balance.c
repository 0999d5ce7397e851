// Each looks whether there is enough and takes it afterwards. In the recorded run the second one sees that
// there is not.
// property: explored.prop
// explores: Overdrawn pay@PAY
#include "pair.h"

static int balance = 10;

EVENT void pay(int left) // PAY
{
	(void)left;
}

static void withdraw(int amount)
{
	int left;

	enter();
	left = balance;
#ifndef FIXED
	leave();
	enter();
#endif
	if (left >= amount) {
		balance -= amount;
		pay(balance);
	}
	leave();
}

static void *first(void *unused)
{
	withdraw(6);
	return unused;
}

static void *second(void *unused)
{
	withdraw(7);
	return unused;
}
