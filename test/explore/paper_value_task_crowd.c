// The paper's Value and Task, whose race was cured by a lock too many, among forty threads that have
// nothing to do with them. 44 patterns of locking: one for each of the forty, two for each Task.
// explore: deadlock GET
// fixed: no
// build: -pthread
#include "crowd.h"

struct value {
	pthread_mutex_t lock;
	int x;
};

static struct value v1 = { PTHREAD_MUTEX_INITIALIZER, 1 }, v2 = { PTHREAD_MUTEX_INITIALIZER, 1 };

static int get(struct value *value)
{
	int x;

	pthread_mutex_lock(&value->lock); // GET
	x = value->x;
	pthread_mutex_unlock(&value->lock);
	return x;
}

static void add(struct value *value, struct value *other)
{
	pthread_mutex_lock(&value->lock);
	value->x = value->x + get(other);
	pthread_mutex_unlock(&value->lock);
}

static void *task(void *second)
{
	if (second)
		add(&v2, &v1);
	else
		add(&v1, &v2);
	return NULL;
}

int main(void)
{
	pthread_t tasks[2];

	crowd_start();
	pthread_create(&tasks[0], NULL, task, NULL);
	pthread_create(&tasks[1], NULL, task, &v2);
	for (int i = 0; i < 2; i++)
		pthread_join(tasks[i], NULL);
	crowd_join();
	return 0;
}
