// A thread waits where the runtime does not see it: at the C library's barrier, called by its address. Under control the turn is
// taken from it there, and what it did before belongs in front of what the other one does then. The semaphore orders the end
// of the object after its use.
// build: -pthread
// predict: silent
// stdout: used once
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

struct object {
	int used;
	sem_t done;
};

static int (*meet)(pthread_barrier_t *);
static pthread_barrier_t barrier;
static struct object *object;

static void *use(void *unused)
{
	object->used++;
	sem_post(&object->done);
	meet(&barrier);
	return unused;
}

static void *end(void *unused)
{
	meet(&barrier);
	sem_wait(&object->done);
	printf(object->used == 1 ? "used once\n" : "not used once\n");
	sem_destroy(&object->done);
	free(object);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	meet = (int (*)(pthread_barrier_t *))dlsym(dlopen("libc.so.6", RTLD_LAZY),
						   "pthread_barrier_wait");
	pthread_barrier_init(&barrier, NULL, 2);
	object = calloc(1, sizeof(*object));
	sem_init(&object->done, 0, 0);
	pthread_create(&threads[0], NULL, use, NULL);
	pthread_create(&threads[1], NULL, end, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
