// A simple lock, one that is tried, and a nestable one. The racy twin forgets the simple lock.
// racy: simple
#include <omp.h>
#include <stdio.h>

static omp_lock_t lock;
static omp_nest_lock_t nested;
static int simple, tried, deep;

static void add(int depth)
{
	omp_set_nest_lock(&nested);
	deep++;
	if (depth)
		add(depth - 1);
	omp_unset_nest_lock(&nested);
}

int main(void)
{
	omp_init_lock(&lock);
	omp_init_nest_lock(&nested);
#pragma omp parallel num_threads(3)
	{
#ifdef RACY
		simple++;
#else
		omp_set_lock(&lock);
		simple++;
		omp_unset_lock(&lock);
#endif
		if (omp_test_lock(&lock)) {
			tried++;
			omp_unset_lock(&lock);
		}
		add(2);
	}
	omp_destroy_lock(&lock);
	omp_destroy_nest_lock(&nested);
	printf("%d %d\n", simple > 0, deep);
	return 0;
}
