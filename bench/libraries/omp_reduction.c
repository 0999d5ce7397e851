// FLAGS: -fopenmp
// A reduction joins the sums of the threads.
#include <omp.h>

static int sum;

int main(void)
{
#ifdef BUG
#pragma omp parallel for num_threads(2)
#else
#pragma omp parallel for num_threads(2) reduction(+ : sum)
#endif
	for (int i = 0; i < 8; i++)
		sum += i;
	return sum < 1;
}
