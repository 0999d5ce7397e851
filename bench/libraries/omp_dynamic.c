// FLAGS: -fopenmp
// Iterations are handed out one by one.
#include <omp.h>

static int values[6], chunks;

int main(void)
{
#pragma omp parallel for num_threads(2) schedule(dynamic, 1)
	for (int i = 0; i < 6; i++) {
		values[i]++;
#ifdef BUG
		chunks++;
#endif
	}
	return values[1] + chunks < 0;
}
