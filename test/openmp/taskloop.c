// A taskloop waits for its tasks; one with nogroup does not.
#include <stdio.h>

static int table[16], other[16];

int main(void)
{
	int sum = 0;

#pragma omp parallel num_threads(3)
#pragma omp single
	{
#pragma omp taskloop grainsize(4)
		for (int i = 0; i < 16; i++)
			table[i] = i;
		for (int i = 0; i < 16; i++)
			sum += table[i];
#pragma omp taskloop nogroup num_tasks(4)
		for (int i = 0; i < 16; i++)
			other[i] = i;
#pragma omp taskwait
		for (int i = 0; i < 16; i++)
			sum += other[i];
	}
	printf("%d\n", sum);
	return 0;
}
