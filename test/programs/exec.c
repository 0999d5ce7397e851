// A program that execs itself: both images leave a trace; a failing exec goes on.
// build: -pthread
// stdout: failed 1
// stdout: second self x
// exit: 9
// traces: 2
// text: ^T0\|w\(state@4\)=1\|
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int state;

int main(int argc, char **argv)
{
	if (argc > 1) {
		printf("second %s %s\n", argv[1], argv[2]);
		return 9;
	}
	state = execl("/nonesuch/program", "x", (char *)NULL) == -1 && errno == ENOENT;
	printf("failed %d\n", state);
	fflush(stdout);
	execl("/proc/self/exe", argv[0], "self", "x", (char *)NULL);
	return 1;
}
