// Havelund 2000, figures 1 and 5: two tasks add two values to each other. `get` locks now: no race
// is left, but the tasks take the two locks in opposite order.
// build: -pthread
// plain: lib/turn.c
// stdout: done
// warns: lock-order v->lock@GET v->lock@GET
// predict: deadlock v->lock@GET v->lock@GET
// explore: deadlock GET
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

void turn_wait(int number);
void turn_done(void);

struct value {
	int x;
	pthread_mutex_t lock;
};

struct task {
	struct value *v1, *v2;
	int turn;
};

__attribute__((noipa)) static int value_get(struct value *v)
{
	pthread_mutex_lock(&v->lock); // GET
	int x = v->x;
	pthread_mutex_unlock(&v->lock);
	return x;
}

__attribute__((noipa)) static void value_add(struct value *v, struct value *other)
{
	pthread_mutex_lock(&v->lock);
	int sum = v->x + value_get(other);
	v->x = sum;
	pthread_mutex_unlock(&v->lock);
}

static struct value *value_new(void)
{
	struct value *v = malloc(sizeof(*v));

	v->x = 1;
	pthread_mutex_init(&v->lock, NULL);
	return v;
}

static void *task_run(void *argument)
{
	struct task *task = argument;

	turn_wait(task->turn);
	value_add(task->v1, task->v2);
	turn_done();
	return NULL;
}

int main(void)
{
	struct value *v1 = value_new(), *v2 = value_new();
	struct task tasks[2] = { { v1, v2, 0 }, { v2, v1, 1 } };
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, task_run, &tasks[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	puts("done");
	return 0;
}
