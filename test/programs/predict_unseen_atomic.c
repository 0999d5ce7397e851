// An atomic variable is there for others, also where nobody else is recorded to access it: a library sets it, from
// another thread. What that thread did before is before what is done behind the one that saw it; what it does
// afterwards is not.
// build: -pthread
// plain: lib/unseen.c
// stdout: 3 1
// predict: race loose@SETTER loose@SEER
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

void turn_wait(int number);
void turn_done(void);
void unseen_register(int i, int *at);
void unseen_set(int i);

static int data, loose;

static void *set(void *unused)
{
	data = 3;
	unseen_set(0);
	turn_done();
	turn_wait(2);
	loose = 1; // SETTER
	return unused;
}

int main(void)
{
	int *flag = malloc(sizeof(*flag)), seen;
	pthread_t thread;

	*flag = 0;
	unseen_register(0, flag);
	pthread_create(&thread, NULL, set, NULL);
	turn_wait(1);
	if (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
		return 1;
	seen = data;
	loose = 2; // SEER
	turn_done();
	pthread_join(thread, NULL);
	printf("%d %d\n", seen, loose);
	free(flag);
	return 0;
}
