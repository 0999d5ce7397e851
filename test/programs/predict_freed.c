// A block is freed while another thread may still use it: in the recorded run it came in time.
// build: -pthread
// plain: lib/turn.c
// stdout: 7
// predict: use-after-free block~of~8~bytes@FREE shared->x@USE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

void turn_wait(int number);
void turn_done(void);

struct item {
	int x, y;
};

static struct item *shared;
static int seen;

static void *use(void *unused)
{
	seen = shared->x; // USE
	turn_done();
	return unused;
}

int main(void)
{
	pthread_t thread;

	shared = malloc(sizeof *shared);
	shared->x = 7;
	pthread_create(&thread, NULL, use, NULL);
	turn_wait(1);
	free(shared); // FREE
	pthread_join(thread, NULL);
	printf("%d\n", seen);
	return 0;
}
