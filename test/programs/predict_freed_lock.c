// One lock around use and free does not say which comes first: the free can be over before the use.
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

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct item *shared;
static int seen;

static void *use(void *unused)
{
	pthread_mutex_lock(&lock);
	seen = shared->x; // USE
	pthread_mutex_unlock(&lock);
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
	pthread_mutex_lock(&lock);
	free(shared); // FREE
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	printf("%d\n", seen);
	return 0;
}
