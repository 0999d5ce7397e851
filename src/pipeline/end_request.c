/* Notes that SIGTERM came. */
#include "pipeline/end_request.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t came;

static void note_termination(int number)
{
	(void)number;
	came = 1;
}

void end_request_catch(void)
{
	struct sigaction action = { .sa_handler = note_termination }, before;

	if (!sigaction(SIGTERM, NULL, &before) && before.sa_handler != SIG_IGN)
		sigaction(SIGTERM, &action, NULL);
}

bool end_request_came(void)
{
	return came;
}
