// The owner frees the log once the worker has said that it is done; the worker then writes a last
// line.
// explore: use-after-free LAST
// build: -pthread
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
static bool done;

static void *serve(void *argument)
{
	int *lines = argument;

	(*lines)++;
#ifdef FIXED
	(*lines)++;
#endif
	pthread_mutex_lock(&lock);
	done = true;
	pthread_cond_signal(&idle);
	pthread_mutex_unlock(&lock);
#ifndef FIXED
	(*lines)++; // LAST
#endif
	return NULL;
}

int main(void)
{
	int *lines = calloc(1, sizeof(*lines));
	pthread_t worker;

	pthread_create(&worker, NULL, serve, lines);
	pthread_mutex_lock(&lock);
	while (!done)
		pthread_cond_wait(&idle, &lock);
	pthread_mutex_unlock(&lock);
	free(lines);
	pthread_join(worker, NULL);
	return 0;
}
