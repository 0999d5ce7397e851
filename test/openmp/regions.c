// Regions that follow each other use the same workers, with and without more of them; between the
// regions, main reads and writes what they have written.
#include <stdio.h>

static int table[8];

static void increment(int threads)
{
#pragma omp parallel for num_threads(threads)
	for (int i = 0; i < 8; i++)
		table[i] += i;
}

int main(void)
{
	int sum = 0;

	for (int round = 0; round < 4; round++) {
		for (int i = 0; i < 7; i++)
			table[i] += i;
#pragma omp parallel for num_threads(2 + round % 3)
		for (int i = 0; i < 8; i++)
			table[i]++;
	}
	increment(4);
#pragma omp parallel num_threads(3) if (table[7] < 0)
	{
#pragma omp barrier
		table[7]++;
	}
	for (int i = 0; i < 8; i++)
		sum += table[i];
	printf("%d\n", sum);
	return 0;
}
