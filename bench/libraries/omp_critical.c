// FLAGS: -fopenmp
// A critical section protects a sum.
#include <omp.h>

static int sum;

int main(void)
{
#pragma omp parallel num_threads(2)
	{
#ifndef BUG
#pragma omp critical
#endif
		sum++;
	}
	return sum < 1;
}
