// Who comes last closes the stream, but each looks in a critical section of its own: both may be the last.
// property: stream-protocol
// explores: StreamProtocol close@CLOSE
#include "pair.h"

#include <stdio.h>

static FILE *report;
static int users = 2;

static void leave_report(void)
{
	int last;

	enter();
	if (!report)
		report = fopen("/dev/null", "w");
	if (report)
		fputs("bye\n", report);
	users--;
#ifndef FIXED
	leave();
	enter();
#endif
	last = !users;
	leave();
	if (last && report)
		fclose(report); // CLOSE
}

static void *first(void *unused)
{
	leave_report();
	return unused;
}

static void *second(void *unused)
{
	leave_report();
	return unused;
}
