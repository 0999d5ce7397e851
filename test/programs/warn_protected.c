// What is well protected, in all the ways that Eraser and GoodLock know: a gate lock, locks given up
// in another order than they were taken, recursion, a try, readers, atomics, memory that is used
// again. No warning.
// build: -pthread
// stdout: 2
// warns: silent
// predict: silent
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER, left = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER, a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER, c = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive;
static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static int counter, table, deep;
static _Atomic int done;

static void behind_a_gate(pthread_mutex_t *one, pthread_mutex_t *other)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_lock(one);
	pthread_mutex_lock(other);
	counter++;
	pthread_mutex_unlock(other);
	pthread_mutex_unlock(one);
	pthread_mutex_unlock(&gate);
}

/* `a` is gone when `c` is taken: nobody has both. */
static void hand_over_hand(void)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&a);
	pthread_mutex_lock(&c);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&c);
}

/* A try does not wait for `b`. */
static void other_way_round(void)
{
	pthread_mutex_lock(&c);
	if (pthread_mutex_trylock(&b) == 0)
		pthread_mutex_unlock(&b);
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&c);
}

static void twice(void)
{
	pthread_mutex_lock(&recursive);
	pthread_mutex_lock(&recursive);
	pthread_mutex_unlock(&recursive);
	deep++;
	pthread_mutex_unlock(&recursive);
}

static void read_and_write(void)
{
	pthread_rwlock_rdlock(&table_lock);
	int seen = table;
	pthread_rwlock_unlock(&table_lock);
	pthread_rwlock_wrlock(&table_lock);
	table = seen + 1;
	pthread_rwlock_unlock(&table_lock);
}

static void *run(void *first)
{
	int *own = malloc(sizeof(*own));

	*own = 1;
	if (first)
		behind_a_gate(&left, &right);
	else
		behind_a_gate(&right, &left);
	if (first)
		hand_over_hand();
	else
		other_way_round();
	twice();
	read_and_write();
	free(own);
	done++;
	return NULL;
}

int main(void)
{
	pthread_mutexattr_t attributes;
	pthread_t threads[2];

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&recursive, &attributes);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, i ? NULL : threads);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", done);
	return 0;
}
