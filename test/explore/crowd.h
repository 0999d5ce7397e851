// The environment of the paper's experiments: threads in pairs, each pair with an object of its own
// to which each of the two assigns many different values.
#include <pthread.h>
#include <stdint.h>

#ifndef CROWD
#define CROWD 40
#endif
#ifndef ASSIGNMENTS
#define ASSIGNMENTS 10000
#endif

struct object {
	pthread_mutex_t lock;
	int value;
};

static struct object objects[(CROWD + 1) / 2];
static pthread_t crowd[CROWD];

static void *assign(void *number)
{
	intptr_t me = (intptr_t)number;
	struct object *object = &objects[me / 2];

	for (int i = 0; i < ASSIGNMENTS; i++) {
		pthread_mutex_lock(&object->lock);
		object->value = i * 2 + (int)(me % 2);
		pthread_mutex_unlock(&object->lock);
	}
	return NULL;
}

static void crowd_start(void)
{
	for (intptr_t i = 0; i < CROWD; i++) {
		if (i % 2 == 0)
			pthread_mutex_init(&objects[i / 2].lock, NULL);
		pthread_create(&crowd[i], NULL, assign, (void *)i);
	}
}

static void crowd_join(void)
{
	for (int i = 0; i < CROWD; i++)
		pthread_join(crowd[i], NULL);
}
