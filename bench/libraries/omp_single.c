// FLAGS: -fopenmp
// One thread prepares, all others use it after the barrier of the construct.
#include <omp.h>

static int table[2], seen[2];

int main(void)
{
#pragma omp parallel num_threads(2)
	{
#ifdef BUG
#pragma omp single nowait
#else
#pragma omp single
#endif
		table[1] = 3;
		seen[omp_get_thread_num()] = table[1];
	}
	return seen[0] < 0;
}
