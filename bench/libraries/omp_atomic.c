// FLAGS: -fopenmp
// An atomic update, read after the region.
#include <omp.h>

static int count;

int main(void)
{
#pragma omp parallel num_threads(2)
	{
#ifndef BUG
#pragma omp atomic
#endif
		count += 2;
	}
	return count < 2;
}
