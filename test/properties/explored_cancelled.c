// A job that is ready is run, though it may have been cancelled by then. In the recorded run it is not
// ready yet.
// property: explored_formulas.prop
// explores: RunsUncancelled run@RUN
#include "pair.h"

static int job, ready;

EVENT void cancel(int *o)
{
	(void)o;
}

EVENT void run(int *o) // RUN
{
	(void)o;
}

static void *first(void *unused)
{
	int found;

	enter();
	found = ready;
#ifndef FIXED
	leave();
#endif
	if (found)
		run(&job);
#ifdef FIXED
	leave();
#endif
	return unused;
}

static void *second(void *unused)
{
	enter();
	ready = 1;
	leave();
	enter();
	ready = 0;
	cancel(&job);
	leave();
	return unused;
}
