// FLAGS: -fopenmp
// Sections write different variables.
#include <omp.h>

static int left, right;

int main(void)
{
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		left = 1;
#pragma omp section
#ifdef BUG
		left = 2;
#else
		right = 2;
#endif
	}
	return left + right < 0;
}
