// A loop that fills a table, and one that reads what other threads have written. The racy twin
// leaves out the barrier between them.
// racy: table
#include <stdio.h>

#define COUNT 12
static int table[COUNT], sum;

int main(void)
{
#pragma omp parallel num_threads(3)
	{
#ifdef RACY
#pragma omp for nowait
#else
#pragma omp for
#endif
		for (int i = 0; i < COUNT; i++)
			table[i] = i;
#pragma omp for reduction(+ : sum)
		for (int i = 0; i < COUNT; i++)
			sum += table[COUNT - 1 - i];
	}
	printf("%d\n", sum > 0);
	return 0;
}
