// The same code inlined at two places, macros and loops on one line: places stay right.
// build: -pthread
// stdout: 3 7
// text: \|w\(left@4\)=3\|.*same_line\.c
// text: \|w\(right@4\)=7\|.*same_line\.c
#include <stdio.h>

int left, right;
#define SET(where, what) ((where) = (what))

static inline __attribute__((always_inline)) void add(int *p, int n)
{
	*p += n;
}

int main(void)
{
	SET(left, 1), add(&left, 2);
	SET(right, 3), add(&right, 4);
	printf("%d %d\n", left, right);
	return 0;
}
