// A variable that each thread needs for itself. The racy twin shares it.
// racy: square
#include <stdio.h>

static int out[12];

int main(void)
{
	int square = 0;
#ifdef RACY
#pragma omp parallel for num_threads(3) shared(square)
#else
#pragma omp parallel for num_threads(3) private(square)
#endif
	for (int i = 0; i < 12; i++) {
		square = i * i;
		out[i] = square;
	}
	printf("%d\n", out[0]);
	return 0;
}
