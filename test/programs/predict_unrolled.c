// A loop over memory that a compiler unrolls is one place all the same: one finding.
// build: -pthread
// opt: -O2
// stdout: 202
// predict: race cell@FILLER cell@READER
// count: 203 ^T1\|w\(cell
// count: 203 ^T2\|r\(cell
#include <pthread.h>
#include <stdio.h>

#define ROUNDS 203 /* some are left over, however many the compiler takes at once */

static volatile int cell;
static int rounds = ROUNDS;

static void *fill(void *unused)
{
	for (int i = 0; i < rounds; i++)
		cell = i; // FILLER
	return unused;
}

static void *look(void *unused)
{
	int seen = 0;

	for (int i = 0; i < ROUNDS; i++)
		seen ^= cell; // READER
	return seen ? unused : NULL;
}

int main(void)
{
	pthread_t filler, reader;

	pthread_create(&filler, NULL, fill, NULL);
	pthread_create(&reader, NULL, look, NULL);
	pthread_join(filler, NULL);
	pthread_join(reader, NULL);
	printf("%d\n", cell);
	return 0;
}
