// A counter in a critical section, and another in a named one. The racy twin forgets the first.
// racy: total
#include <stdio.h>

static int total, named;

int main(void)
{
#pragma omp parallel num_threads(3)
	{
#ifndef RACY
#pragma omp critical
#endif
		total++;
#pragma omp critical(a_name)
		named += 2;
	}
	printf("%d\n", total + named > 0);
	return 0;
}
