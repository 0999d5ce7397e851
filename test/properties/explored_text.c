// The text that is passed on is somebody else's for a while. Nobody but the property reads it there.
// property: explored.prop
// explores: ServedRoot serve@SERVE
#include "pair.h"

static char name[8] = "guest";

EVENT void serve(const char *who) // SERVE
{
	(void)who;
}

static void set(const char *text)
{
	for (int i = 0; i < 5; i++)
		name[i] = text[i];
}

static void *first(void *unused)
{
#ifdef FIXED
	enter();
#endif
	serve(name);
#ifdef FIXED
	leave();
#endif
	return unused;
}

static void *second(void *unused)
{
	enter();
	set("root\0");
	set("guest");
	leave();
	return unused;
}
