// The server looks once whether somebody asks, and goes. In the recorded run somebody does.
// property: explored_formulas.prop
// explores: Answered over@ASK
#include "pair.h"

static int object, asked;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;

EVENT void ask(int *o) // ASK
{
	(void)o;
}

EVENT void answer(int *o)
{
	(void)o;
}

static void *first(void *unused)
{
	enter();
	ask(&object);
	asked = 1;
	pthread_cond_signal(&news);
	leave();
	return unused;
}

static void *second(void *unused)
{
	enter();
#ifdef FIXED
	while (!asked)
		pthread_cond_wait(&news, &lock);
#endif
	if (asked)
		answer(&object);
	leave();
	return unused;
}
