// A pointer that points nowhere is stored in a loop that would only access what it points at if there were something: the
// reader knows it from before the loop, and all of it, not only as many bits as an address has.
// build: -pthread
// stdout: 1 1 1
// count: 3 ^T1\|w\(.*\)=-1\|
#include <pthread.h>
#include <stdio.h>

#define NOWHERE ((struct node *)-1)

struct node {
	int uses;
};

static struct node *kept[3];
static volatile long nowhere = -1;
static volatile int wanted;

__attribute__((noinline)) static void keep(struct node *node, int times, int n)
{
	for (int i = 0; i < n; i++) {
		if (times > i + 5)
			node->uses++;
		kept[i] = node;
	}
}

static void *run(void *unused)
{
	keep((struct node *)nowhere, wanted, 3);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	printf("%d %d %d\n", kept[0] == NOWHERE, kept[1] == NOWHERE, kept[2] == NOWHERE);
	return 0;
}
