// Regions in regions. The racy twin writes a variable of the outer region in the inner ones.
// racy: outer
#include <omp.h>
#include <stdio.h>

int main(void)
{
	int outer = 0, total = 0;

	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : total)
	{
		int inner[2] = { 0 };
#pragma omp parallel num_threads(2)
		{
			inner[omp_get_thread_num() & 1]++;
#ifdef RACY
			outer++;
#endif
#pragma omp barrier
#pragma omp single
			inner[0] += inner[1];
		}
		total += inner[0];
	}
	printf("%d %d\n", total > 0, outer >= 0);
	return 0;
}
