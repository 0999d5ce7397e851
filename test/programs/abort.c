// abort: the program's SIGABRT handler runs, the status is 128 + 6, the trace is whole.
// build: -pthread
// stdout: handler 3
// exit: 134
// text: ^T0\|w\(value@4,volatile\)=3\|
// text: \|handler\(T0,6\)
// text: ^T(1|4096)\|r\(value@4,volatile\)=3\|
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int value;

static void on_abort(int signal)
{
	(void)signal;
	dprintf(1, "handler %d\n", value);
}

int main(void)
{
	signal(SIGABRT, on_abort);
	value = 3;
	abort();
}
