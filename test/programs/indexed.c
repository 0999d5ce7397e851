// Elements of arrays, told by an index where the reader knows of the array: indices that were just read, narrow
// ones that run over, negative ones, elements that are structs, one index for two arrays. What a thread wrote by such
// places, main reads in order: the two must fit.
// build: -pthread
// stdout: 5 6 21 22 31 40 50
// count: 2 ^T1\|w\(.*\)=(21|22)\|
// count: 1 ^T1\|w\(.*\)=40\|
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

struct pair {
	int16_t key;
	int32_t value;
};

static uint32_t order[8] = { 3, 1, 7, 5 };
static int table[256], other[256];
static struct pair pairs[16];

__attribute__((noipa)) static void fill(int *at, int *also, struct pair *to, const uint32_t *by,
					uint8_t narrow, int32_t back)
{
	for (int i = 0; i < 2; i++)
		at[by[i]] = 5 + i; /* 3 and 1: known when they are read */
	at[narrow] = 21;	   /* 255 */
	narrow++;
	at[narrow] = 22; /* 0 */
	also[narrow] = 31;
	at[200 + back] = 40; /* 190 */
	to[by[2]].value = 50;
}

static void *run(void *unused)
{
	fill(table, other, pairs, order, 255, -10);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	printf("%d %d %d %d %d %d %d\n", table[3], table[1], table[255], table[0], other[0],
	       table[190], pairs[7].value);
	return 0;
}
