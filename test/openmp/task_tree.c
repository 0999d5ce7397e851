// Recursive tasks with a taskwait at each level, and a taskgroup that waits for grandchildren.
#include <stdio.h>

static int fib(int n)
{
	int a, b;

	if (n < 2)
		return n;
#pragma omp task shared(a)
	a = fib(n - 1);
#pragma omp task shared(b)
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}

static int leaves[6];

static void split(int from, int to)
{
	if (to - from == 1) {
		leaves[from] = from;
		return;
	}
#pragma omp task
	split(from, (from + to) / 2);
#pragma omp task
	split((from + to) / 2, to);
}

int main(void)
{
	int result = 0, sum = 0;

#pragma omp parallel num_threads(3)
#pragma omp single
	{
		result = fib(6);
#pragma omp taskgroup
		split(0, 6);
		for (int i = 0; i < 6; i++)
			sum += leaves[i];
	}
	printf("%d %d\n", result, sum);
	return 0;
}
