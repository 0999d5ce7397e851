// Elements of arrays, told by an index where the reader knows of the array: indices that were just read, narrow
// ones that run over, negative ones, elements that are structs, one index for two arrays. The arrays begin with
// a page, so that the end of an address is the place in them.
// build: -pthread
// stdout: 5 6 21 22 31 40 50
// text: ^T1\|w\(0x[0-9a-f]*00c@4\)=5\|
// text: ^T1\|w\(0x[0-9a-f]*004@4\)=6\|
// text: ^T1\|w\(0x[0-9a-f]*3fc@4\)=21\|
// text: ^T1\|w\(0x[0-9a-f]*000@4\)=22\|
// text: ^T1\|w\(0x[0-9a-f]*400@4\)=31\|
// text: ^T1\|w\(0x[0-9a-f]*2f8@4\)=40\|
// text: ^T1\|w\(0x[0-9a-f]*83c@4\)=50\|
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct pair {
	int16_t key;
	int32_t value;
};

struct arrays {
	int table[256], other[256];
	struct pair pairs[16];
	uint32_t order[8];
};

__attribute__((noinline)) static void fill(int *at, int *also, struct pair *to, const uint32_t *by,
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

static void *run(void *all)
{
	struct arrays *a = all;

	fill(a->table, a->other, a->pairs, a->order, (uint8_t)a->order[3], -(int)a->order[4]);
	return all;
}

int main(void)
{
	struct arrays *a = aligned_alloc(4096, 4096);
	pthread_t thread;

	*a = (struct arrays){ .order = { 3, 1, 7, 255, 10 } };
	pthread_create(&thread, NULL, run, a);
	pthread_join(thread, NULL);
	printf("%d %d %d %d %d %d %d\n", a->table[3], a->table[1], a->table[255], a->table[0],
	       a->other[0], a->table[190], a->pairs[7].value);
	free(a);
	return 0;
}
