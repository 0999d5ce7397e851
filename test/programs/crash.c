// A wild write kills the program with SIGSEGV; what it did before can be read.
// exit: 139
// stdout: before
// check: cut
// text: ^T0\|w\(before@4\)=77\|
#include <stdio.h>
#include <unistd.h>

int before;
int *volatile wild;

int main(void)
{
	before = 77;
	dprintf(1, "before\n");
	*wild = 1;
	return 0;
}
