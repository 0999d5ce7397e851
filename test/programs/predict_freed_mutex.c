// A mutex lies in a block that is freed too early: to lock it is to use it, and so is to unlock it.
// build: -pthread
// plain: lib/turn.c
// stdout: done
// predict: use-after-free block~of~48~bytes@FREE shared->lock@LOCK
// predict: use-after-free block~of~48~bytes@FREE shared->lock@UNLOCK
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

void turn_wait(int number);
void turn_done(void);

struct item {
	pthread_mutex_t lock;
	int users, pad;
};

static struct item *shared;

static void *use(void *unused)
{
	pthread_mutex_lock(&shared->lock);   // LOCK
	pthread_mutex_unlock(&shared->lock); // UNLOCK
	turn_done();
	return unused;
}

int main(void)
{
	pthread_t thread;

	shared = malloc(sizeof *shared);
	pthread_mutex_init(&shared->lock, NULL);
	pthread_create(&thread, NULL, use, NULL);
	turn_wait(1);
	free(shared); // FREE
	pthread_join(thread, NULL);
	puts("done");
	return 0;
}
