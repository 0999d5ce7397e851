// Variables of which each thread has its own, kept from one region to the next.
#include <omp.h>
#include <stdio.h>

static int own = 1;
#pragma omp threadprivate(own)

int main(void)
{
	int sum = 0;

	omp_set_dynamic(0);
#pragma omp parallel num_threads(3) copyin(own)
	own += omp_get_thread_num();
#pragma omp parallel num_threads(3) reduction(+ : sum)
	sum += own;
	printf("%d\n", sum);
	return 0;
}
