// Single with copyprivate, and with its barrier. The racy twin does not wait after the second.
// racy: shared
#include <stdio.h>

static int shared, seen[3];

int main(void)
{
#pragma omp parallel num_threads(3)
	{
		int mine;
#pragma omp single copyprivate(mine)
		mine = 7;
#ifdef RACY
#pragma omp single nowait
#else
#pragma omp single
#endif
		shared = mine;
#pragma omp for
		for (int i = 0; i < 3; i++)
			seen[i] = shared + mine;
	}
	printf("%d\n", seen[0] > 0);
	return 0;
}
