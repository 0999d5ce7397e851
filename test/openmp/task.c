// Tasks that write a table, which their parent reads after a taskwait. The racy twin does not wait.
// racy: table
#include <stdio.h>

static int table[4], sum;

int main(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
	{
		for (int i = 0; i < 4; i++) {
#pragma omp task firstprivate(i) shared(table)
			table[i] = i + 1;
		}
#ifndef RACY
#pragma omp taskwait
#endif
		for (int i = 0; i < 4; i++)
			sum += table[i];
	}
	printf("%d\n", sum >= 0);
	return 0;
}
