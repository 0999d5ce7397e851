// Tasks end before the next barrier, and before the region: nothing else waits for them. The racy
// twin reads what a task has written before the barrier.
// racy: first
#include <stdio.h>

static int first, second;

int main(void)
{
	int seen = 0;

#pragma omp parallel num_threads(3)
	{
#pragma omp single nowait
		{
#pragma omp task
			first = 1;
#ifdef RACY
			seen = first;
#endif
		}
#pragma omp barrier
#pragma omp master
		seen = first;
#pragma omp single nowait
		{
#pragma omp task
			second = 2;
		}
	}
	printf("%d %d\n", seen, second);
	return 0;
}
