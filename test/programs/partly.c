// Two files, one compiled with -fno-sanitize=thread: only the other's accesses are recorded.
// build: -pthread
// plain: lib/plain.c
// stdout: seen 5 hidden 5
// text: ^T0\|w\(seen@4\)=5\|
// notext: plain\.c
#include <stdio.h>

int seen;
extern int hidden;
void hide(int n);

int main(void)
{
	seen = 5;
	hide(seen);
	printf("seen %d hidden %d\n", seen, hidden);
	return 0;
}
