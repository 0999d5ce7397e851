// A semaphore keeps the end of an object after its use; that both threads meet in a library that is not recorded only
// delays one of them. Its turn goes to the other thread while it waits there, and it comes back after what that did.
// build: -pthread
// opaque: lib/closed.c
// predict: silent
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

void closed_meet(void);

static struct object {
	int value;
	sem_t done;
} * object;

static void *use(void *unused)
{
	object->value++;
	sem_post(&object->done);
	closed_meet();
	return unused;
}

static void *end(void *unused)
{
	closed_meet();
	sem_wait(&object->done);
	sem_destroy(&object->done);
	free(object);
	return unused;
}

int main(void)
{
	pthread_t user, ender;

	object = calloc(1, sizeof(*object));
	sem_init(&object->done, 0, 0);
	pthread_create(&user, NULL, use, NULL);
	pthread_create(&ender, NULL, end, NULL);
	pthread_join(user, NULL);
	pthread_join(ender, NULL);
	return 0;
}
