// FLAGS: -fopenmp
// taskwait comes after both tasks.
#include <omp.h>

static int left, right, sum;

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task
		left = 1;
#pragma omp task
		right = 2;
#ifndef BUG
#pragma omp taskwait
#endif
		sum = left + right;
	}
	return sum < 0;
}
