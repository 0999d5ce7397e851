// A lock that its thread has already is taken once more: that is no deadlock. The first unlock does not release
// it, so that the log is locked inside of it; and inside of the log it is taken by another thread.
// property: circular-wait
// property: philosophers.prop
// violates: NoCircularWait want@LOG
// violates: NoCircularWait want@TREE
// violates: NoDeadlock req@LOG
// violates: NoDeadlock req@TREE
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t tree = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t log_ = PTHREAD_MUTEX_INITIALIZER;
static int nodes, lines;

static void insert(void)
{
	pthread_mutex_lock(&tree);
	nodes++;
	pthread_mutex_unlock(&tree);
}

static void *grow(void *unused)
{
	pthread_mutex_lock(&tree);
	insert();
#ifdef FIXED
	pthread_mutex_unlock(&tree);
#endif
	pthread_mutex_lock(&log_); // LOG
	lines++;
	pthread_mutex_unlock(&log_);
#ifndef FIXED
	pthread_mutex_unlock(&tree);
#endif
	return unused;
}

static void *print(void *unused)
{
	pthread_mutex_lock(&log_);
	pthread_mutex_lock(&tree); // TREE
	lines += nodes != 0;
	pthread_mutex_unlock(&tree);
	pthread_mutex_unlock(&log_);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, grow, NULL);
	pthread_create(&threads[1], NULL, print, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return nodes != 1;
}
