// A loop over memory that a compiler unrolls is one place all the same: one finding.
// build: -pthread
// stdout: 0
// predict: race cells[0]@FILLER cells[0]@READER
// count: 203 ^T1\|w\(
#include <pthread.h>
#include <stdio.h>

static int cells[203]; /* rounds are left over, whatever the compiler takes at once */

static void *fill(void *unused)
{
	for (int i = 0; i < 203; i++)
		cells[i] = i; // FILLER
	return unused;
}

static void *sum(void *count)
{
	int all = 0;

	for (int i = 0; i < *(int *)count; i++)
		all += cells[i]; // READER
	*(int *)count = all == 203 * 202 / 2 ? 0 : all > 0;
	return NULL;
}

int main(void)
{
	pthread_t filler, reader;
	int count = 203;

	pthread_create(&filler, NULL, fill, NULL);
	pthread_create(&reader, NULL, sum, &count);
	pthread_join(filler, NULL);
	pthread_join(reader, NULL);
	printf("%d\n", count * 0);
	return 0;
}
