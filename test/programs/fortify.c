// The checked variants that _FORTIFY_SOURCE calls: same results; an overflow still stops it.
// build: -pthread -D_FORTIFY_SOURCE=2 -Wno-stringop-overflow
// opt: -O1 -O2
// stdout: abc ab ababc
// exit: 134
// check: cut
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char to[8], other[8], third[8];

int main(int argc, char **argv)
{
	volatile size_t n = 3;

	(void)argv;
	memcpy(to, "abcdef", n);
	strncpy(other, "abc", n - 1);
	strcpy(third, other);
	strcat(third, to);
	dprintf(1, "%s %s %s\n", to, other, third);
	n = 8 + (size_t)argc;
	fclose(stderr);
	close(2);
	memset(to, 'x', n);
	return 0;
}
