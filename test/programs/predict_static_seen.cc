// Who finds a static local built, and does not have to ask, comes after it was built.
// build: -pthread
// plain: lib/turn.c
// stdout: 3 3 2
// count: 1 ^T1\|wa\(.*\)=1\|
// predict: race loose@BUILDER loose@FINDER
#include <cstdio>
#include <pthread.h>

extern "C" void turn_wait(int number);
extern "C" void turn_done(void);

struct box {
	int value;
	box()
	{
		value = 3;
	}
};
static int loose;

static int get()
{
	static box one;
	return one.value;
}

static void *builder(void *seen)
{
	*(int *)seen = get();
	loose = 1; // BUILDER
	turn_done();
	return seen;
}

static void *finder(void *seen)
{
	turn_wait(1);
	*(int *)seen = get();
	loose = 2; // FINDER
	return seen;
}

int main()
{
	pthread_t threads[2];
	int seen[2];

	pthread_create(&threads[0], NULL, builder, &seen[0]);
	pthread_create(&threads[1], NULL, finder, &seen[1]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d %d\n", seen[0], seen[1], loose);
	return 0;
}
