// Registers that inline recording must not touch: flags between compare and use, vectors in a
// loop that fills many buffers.
// build: -pthread -fopenmp-simd -ffast-math
// stdout: 4 7 333283335000 1024
// text: \|w\(smaller@4\)=4\|
// text: \|w\(larger@4\)=7\|
#include <pthread.h>
#include <stdio.h>

static double at[10000], total;
static int smaller, larger, powers[11];

__attribute__((noinline)) static void count(const int *p, int n, int pivot)
{
	for (int i = 0; i < n; i++) {
		int x = p[i];
		if (x < pivot)
			smaller++;
		else
			larger += x == pivot ? 1 : 2;
	}
}

static void *run(void *unused)
{
	double sum = 0;

	for (int i = 0; i < 10000; i++)
		at[i] = (double)i * i;
	for (int i = 0; i < 10000; i++)
		sum += at[i];
	total = sum;
	return unused;
}

int main(void)
{
	static const int numbers[] = { 1, 5, 3, 9, 2, 5, 5, 4, 7 };
	pthread_t thread;

	count(numbers, 9, 5);
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	powers[0] = 1;
	for (int i = 1; i <= 10; i++)
		powers[i] = powers[i - 1] + powers[i - 1];
	printf("%d %d %.0f %d\n", smaller, larger, total, powers[10]);
	return 0;
}
