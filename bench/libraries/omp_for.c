// FLAGS: -fopenmp
// Each iteration writes its own element.
#include <omp.h>

static int values[16], last;

int main(void)
{
#pragma omp parallel for num_threads(2)
	for (int i = 0; i < 16; i++) {
		values[i] = i;
#ifdef BUG
		last = i;
#endif
	}
	return values[3] + last < 0;
}
