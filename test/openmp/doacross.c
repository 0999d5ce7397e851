// A loop whose iterations wait for earlier ones.
#include <stdio.h>

static int line[10];

int main(void)
{
#pragma omp parallel for num_threads(3) ordered(1) schedule(static, 1)
	for (int i = 1; i < 10; i++) {
#pragma omp ordered depend(sink : i - 1)
		line[i] = line[i - 1] + i;
#pragma omp ordered depend(source)
	}
	printf("%d\n", line[9]);
	return 0;
}
