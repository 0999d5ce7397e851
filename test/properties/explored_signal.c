// `if` where `while` is needed: who is woken does not look again. In the recorded run nobody has to wait.
// property: explored.prop
// explores: Overdrawn pay@PAY
#include "pair.h"

static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int count;

EVENT void pay(int left) // PAY
{
	(void)left;
}

static void put(void)
{
	enter();
	count++;
	pthread_cond_signal(&filled);
	leave();
}

static void *first(void *unused)
{
	put();
	enter();
	if (count)
		pay(--count);
	leave();
	put();
	return unused;
}

static void *second(void *unused)
{
	enter();
#ifdef FIXED
	while (count == 0)
#else
	if (count == 0)
#endif
		pthread_cond_wait(&filled, &lock);
	pay(--count);
	leave();
	return unused;
}
