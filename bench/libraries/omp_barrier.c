// FLAGS: -fopenmp
// The implicit barrier of a loop separates two phases.
#include <omp.h>

static int a[4], b[4];

int main(void)
{
#pragma omp parallel num_threads(2)
	{
#ifdef BUG
#pragma omp for nowait
#else
#pragma omp for
#endif
		for (int i = 0; i < 4; i++)
			a[i] = i;
#pragma omp for
		for (int i = 0; i < 4; i++)
			b[i] = a[3 - i];
	}
	return b[0] < 0;
}
