// A sum, by a reduction. The racy twin forgets it.
// racy: sum
#include <stdio.h>

int main(void)
{
	long sum = 0;
#ifdef RACY
#pragma omp parallel for num_threads(3)
#else
#pragma omp parallel for num_threads(3) reduction(+ : sum)
#endif
	for (int i = 0; i < 30; i++)
		sum += i;
	printf("%d\n", sum > 0);
	return 0;
}
