// A library that is not recorded calls functions that it was given, each time under a lock of its own, and hands over
// what a thread has made.
// build: -pthread
// opaque: lib/closed.c
// stdout: 20 1 1
// text: ^T1\|opaque\(.*predict_opaque_callback\.c:(28|29|34|35)$
// predict: race loose@CALLED loose@STARTED
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

void closed_each(void (*call)(void *), void *argument, int times);
void closed_hand_over(int *item);
int *closed_receive(void);

struct counters {
	int *count;
	char room[200]; /* the compiler aligns its frame */
};

static int count, loose, sum;

static void set_loose(void)
{
	loose = 1; // CALLED
}

static void count_up(void *argument)
{
	_Alignas(64) volatile char aligned[64] = { 0 };
	struct counters *counters = argument;

	aligned[1] = counters->room[0];
	++*counters->count;
}

static void *first(void *unused)
{
	struct counters counters = { &count, { 0 } };
	int *item = malloc(sizeof(*item));

	set_loose();
	closed_each(count_up, &counters, 10);
	*item = 1;
	closed_hand_over(item);
	return unused;
}

static void *second(void *unused)
{
	struct counters counters = { &count, { 0 } };

	loose = 2; // STARTED
	closed_each(count_up, &counters, 10);
	int *item = closed_receive();
	sum = *item;
	free(item);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d %d\n", count, sum, loose > 0);
	return 0;
}
