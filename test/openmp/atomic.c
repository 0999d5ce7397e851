// Atomic operations: of an integer, of a type that needs a lock of gcc's library, and with a result.
// clang: no, its library for such types is another one
// racy: large
#include <stdio.h>

static long double large;
static int count, order[3];

int main(void)
{
#pragma omp parallel num_threads(3)
	{
		int mine;
#ifndef RACY
#pragma omp atomic
#endif
		large += 1;
#pragma omp atomic capture
		mine = count++;
		order[mine] = mine;
	}
	printf("%d\n", order[0] + order[1] + order[2]);
	return 0;
}
