// A complex long double is 32 bytes, of which two times ten are moved.
// stdout: 2 4
// count: 2 ^T0\|r\(.*@10\)=.*complex_wide.c:13
// count: 2 ^T0\|w\(.*@10\)=.*complex_wide.c:13
#include <complex.h>
#include <stdio.h>

_Complex long double from, to[2];

__attribute__((noinline)) static void twice(_Complex long double *p)
{
	/* the line below reads two numbers and writes two */
	*p = from * 2;
}

int main(void)
{
	from = 1 + 2 * I;
	twice(&to[1]);
	_Complex long double seen = to[1];
	printf("%Lg %Lg\n", creall(seen), cimagl(seen));
	return 0;
}
