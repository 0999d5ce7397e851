// Many explicit barriers: threads hand over a row to their neighbour in each round. The racy twin
// leaves out every second barrier.
// racy: cells
#include <omp.h>
#include <stdio.h>

#define THREADS 3
static int cells[2][THREADS];

int main(void)
{
#pragma omp parallel num_threads(THREADS)
	{
		int self = omp_get_thread_num();
		for (int round = 0; round < 6; round++) {
			cells[round & 1][self] = cells[~round & 1][(self + 1) % THREADS] + 1;
#ifdef RACY
			if (round & 1)
				continue;
#endif
#pragma omp barrier
		}
	}
	printf("%d\n", cells[0][0] > 0);
	return 0;
}
