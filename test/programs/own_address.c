// An object that is told its own address: what is stored is what the store's address is told by.
// build: -pthread
// stdout: 1 1
// text: ^T1\|w\(.*\)=
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct ring {
	struct ring *next, *before;
	int shared;
};

__attribute__((noipa)) static void close_ring(struct ring *r)
{
	r->next = r;
	r->before = (struct ring *)((char *)r + 8);
}

static void *run(void *made)
{
	close_ring(made);
	return made;
}

int main(void)
{
	struct ring *r = calloc(1, sizeof(*r));
	pthread_t thread;

	pthread_create(&thread, NULL, run, r);
	pthread_join(thread, NULL);
	printf("%d %d\n", r->next == r, (char *)r->before == (char *)r + 8);
	free(r);
	return 0;
}
