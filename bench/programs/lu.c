/*
 * LU decomposition in place, rows distributed over threads, a barrier after each step: dense
 * floating-point accesses with only a barrier between them.
 *
 *	lu [SIZE [THREADS]]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS_MAX 16

static int size = 400, threads = 2;
static double *matrix;
static pthread_barrier_t step_done;

static void eliminate(const double *pivot, double *row, int k)
{
	double factor = row[k] /= pivot[k];

	for (int j = k + 1; j < size; j++)
		row[j] -= factor * pivot[j];
}

static void *work(void *argument)
{
	int me = (int)(long)argument;

	for (int k = 0; k < size; k++) {
		for (int i = k + 1; i < size; i++)
			if (i % threads == me)
				eliminate(matrix + (long)k * size, matrix + (long)i * size, k);
		pthread_barrier_wait(&step_done);
	}
	return NULL;
}

static void fill(void)
{
	unsigned seed = 1;

	for (int i = 0; i < size * size; i++) {
		seed = seed * 1103515245 + 12345;
		matrix[i] = seed >> 16 & 127;
		if (i % (size + 1) == 0)
			matrix[i] += 4000;
	}
}

int main(int argc, char **argv)
{
	pthread_t ids[THREADS_MAX];
	double trace = 0;

	if (argc > 1)
		size = atoi(argv[1]);
	if (argc > 2)
		threads = atoi(argv[2]);
	matrix = malloc(sizeof(double) * (size_t)size * (size_t)size);
	fill();
	pthread_barrier_init(&step_done, NULL, (unsigned)threads);
	for (int i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, work, (void *)(long)i);
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	for (int i = 0; i < size; i++)
		trace += matrix[(long)i * size + i];
	printf("%.6f\n", trace);
	free(matrix);
	return 0;
}
