// Tasks that depend on each other: a writer, two readers, and a writer again. The racy twin leaves
// out a dependence.
// racy: value
#include <stdio.h>

static int value, left, right;

int main(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
	{
#pragma omp task depend(out : value)
		value = 1;
#pragma omp task depend(in : value)
		left = value;
#ifdef RACY
#pragma omp task
#else
#pragma omp task depend(in : value)
#endif
		right = value;
#pragma omp task depend(inout : value)
		value++;
#pragma omp taskwait
	}
	printf("%d\n", value + left + right > 0);
	return 0;
}
