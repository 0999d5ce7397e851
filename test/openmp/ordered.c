// The ordered parts of a loop follow each other. The racy twin writes outside of them.
// racy: last
#include <stdio.h>

static int last, log_of[8];

int main(void)
{
#pragma omp parallel for num_threads(3) ordered schedule(dynamic)
	for (int i = 0; i < 8; i++) {
#ifdef RACY
		last = i;
#endif
#pragma omp ordered
		{
			log_of[i] = last;
			last = i;
		}
	}
	printf("%d\n", last >= 0);
	return 0;
}
