// FLAGS: -fopenmp
// A lock of the OpenMP library.
#include <omp.h>

static omp_lock_t lock;
static int count;

int main(void)
{
	omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
	{
#ifndef BUG
		omp_set_lock(&lock);
#endif
		count++;
#ifndef BUG
		omp_unset_lock(&lock);
#endif
	}
	omp_destroy_lock(&lock);
	return count < 1;
}
