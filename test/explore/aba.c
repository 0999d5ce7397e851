// A lock-free stack whose pop compares the head alone: the head is the same again, what is below it
// is not. The fixed one counts in the upper half of the word.
// explore: assertion FAILS
// build: -pthread
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "work.h"

#define NONE 0u

static _Atomic uint64_t head = 1; // 1 -> 2 -> 3
static atomic_uint next[4] = { NONE, 2, 3, NONE };
static atomic_int owned[4];

static uint64_t with(uint64_t old, unsigned node)
{
#ifdef FIXED
	return ((old >> 32) + 1) << 32 | node;
#else
	(void)old;
	return node;
#endif
}

static unsigned pop(void)
{
	uint64_t old = head;
	unsigned node;

	do {
		node = (unsigned)old;
		if (node == NONE)
			return NONE;
	} while (!atomic_compare_exchange_strong(&head, &old, with(old, next[node])));
	assert(atomic_fetch_add(&owned[node], 1) == 0); // FAILS
	return node;
}

static void push(unsigned node)
{
	uint64_t old = head;

	owned[node] = 0;
	do
		next[node] = (unsigned)old;
	while (!atomic_compare_exchange_strong(&head, &old, with(old, node)));
}

static void *pop_two(void *unused)
{
	pop();
	pop();
	return unused;
}

static void *shuffle(void *unused)
{
	unsigned node = pop();

	pop();
	if (node != NONE)
		push(node);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, pop_two, NULL);
	work(10);
	pthread_create(&threads[1], NULL, shuffle, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
