// Sections, and a dynamic loop with an atomic counter. The racy twin increments it plainly.
// racy: count
#include <stdio.h>

static int left, right, count;

int main(void)
{
#pragma omp parallel num_threads(3)
	{
#pragma omp sections
		{
#pragma omp section
			left = 1;
#pragma omp section
			right = 2;
		}
#pragma omp for schedule(dynamic, 2)
		for (int i = 0; i < 12; i++) {
#ifndef RACY
#pragma omp atomic
#endif
			count += left + right;
		}
	}
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		left++;
#pragma omp section
		right++;
	}
	printf("%d %d %d\n", left, right, count > 0);
	return 0;
}
