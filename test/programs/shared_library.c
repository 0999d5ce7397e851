// A library linked at build time: its accesses are recorded as the program's.
// build: -pthread
// library: lib/tally.c
// stdout: 300 300
// count: 300 \|acq\(.*tally\.c:12$
// count: 300 \|w\(.*tally\.c:13$
// text: \|w\(.*\)=300\|.*tally\.c:13$
#include <pthread.h>
#include <stdio.h>

extern int tally_total;
int tally_add(int n);

static void *run(void *last)
{
	for (int i = 0; i < 100; i++)
		*(int *)last = tally_add(1);
	return NULL;
}

int main(void)
{
	pthread_t threads[3];
	int last[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, run, &last[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d\n", tally_total, last[0] + last[1] + last[2]);
	return 0;
}
