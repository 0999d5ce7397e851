/*
 * derby 2861: the referenced columns of a table descriptor are checked, but can be set to null
 * before they are used. The rest of the program imitates the other work of a database. 2 threads
 * besides main.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

#define ROUNDS 10
#define PAGES 64
#define STEPS 240

struct columns {
	int set[8];
};
struct table {
	struct columns *refcols;
	int version;
};
static struct columns columns = { { 1, 0, 1 } };
struct table table = { &columns, 1 };
static pthread_mutex_t pages_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t round_begins;
static int pages[PAGES], named;

static void work(unsigned seed)
{
	pthread_mutex_lock(&pages_lock);
	for (int i = 0; i < STEPS; i++) {
		seed = seed * 1103515245 + 12345;
		pages[(seed >> 16) % PAGES] += i;
	}
	pthread_mutex_unlock(&pages_lock);
}

static int get_object_name(struct table *o)
{
	if (o->refcols == NULL)
		return 0;
	work(1);
	return o->refcols->set[2];
}

static void set_referenced_columns(struct table *o)
{
	o->refcols = &columns;
}

static void forget_referenced_columns(struct table *o)
{
	o->refcols = NULL;
}

static void *ask(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&round_begins);
		named += get_object_name(&table);
		pthread_barrier_wait(&round_begins);
	}
	return unused;
}

static void *forget(void *unused)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		set_referenced_columns(&table);
		pthread_barrier_wait(&round_begins);
		work(2 + i);
		forget_referenced_columns(&table);
		pthread_barrier_wait(&round_begins);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_barrier_init(&round_begins, NULL, 2);
	for (unsigned i = 0; i < 6; i++)
		work(100 + i);
	pthread_create(&threads[0], NULL, forget, NULL);
	pthread_create(&threads[1], NULL, ask, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d named\n", named);
	return 0;
}
