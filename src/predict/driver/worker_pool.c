#include "predict/driver/worker_pool.h"

#include "base/mem.h"

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct worker_pool {
	pthread_mutex_t lock;
	pthread_cond_t more, ended;
	void (*run)(void *context, size_t i);
	void *context;
	size_t count, taken, done; /* items: of the present task */
	bool closing;
	unsigned helpers;
	pthread_t threads[];
};

/* Takes items until none is left. Called, and returns, with the lock held. */
static void work(struct worker_pool *jobs)
{
	while (jobs->taken < jobs->count) {
		size_t i = jobs->taken++;

		pthread_mutex_unlock(&jobs->lock);
		jobs->run(jobs->context, i);
		pthread_mutex_lock(&jobs->lock);
		if (++jobs->done == jobs->count)
			pthread_cond_signal(&jobs->ended);
	}
}

static void *help(void *argument)
{
	struct worker_pool *jobs = argument;

	pthread_mutex_lock(&jobs->lock);
	while (!jobs->closing) {
		work(jobs);
		if (!jobs->closing)
			pthread_cond_wait(&jobs->more, &jobs->lock);
	}
	pthread_mutex_unlock(&jobs->lock);
	return NULL;
}

struct worker_pool *worker_pool_open(unsigned helpers)
{
	struct worker_pool *jobs = mem_zalloc(1, sizeof *jobs + helpers * sizeof jobs->threads[0]);

	pthread_mutex_init(&jobs->lock, NULL);
	pthread_cond_init(&jobs->more, NULL);
	pthread_cond_init(&jobs->ended, NULL);
	while (jobs->helpers < helpers &&
	       pthread_create(&jobs->threads[jobs->helpers], NULL, help, jobs) == 0)
		jobs->helpers++;
	return jobs;
}

void worker_pool_close(struct worker_pool *jobs)
{
	pthread_mutex_lock(&jobs->lock);
	assert(jobs->done == jobs->count);
	jobs->closing = true;
	pthread_cond_broadcast(&jobs->more);
	pthread_mutex_unlock(&jobs->lock);
	for (unsigned i = 0; i < jobs->helpers; i++)
		pthread_join(jobs->threads[i], NULL);
	pthread_cond_destroy(&jobs->more);
	pthread_cond_destroy(&jobs->ended);
	pthread_mutex_destroy(&jobs->lock);
	free(jobs);
}

void worker_pool_start(struct worker_pool *jobs, void (*run)(void *context, size_t i),
		       void *context, size_t count)
{
	pthread_mutex_lock(&jobs->lock);
	assert(jobs->done == jobs->count);
	jobs->run = run;
	jobs->context = context;
	jobs->count = count;
	jobs->taken = jobs->done = 0;
	pthread_cond_broadcast(&jobs->more);
	pthread_mutex_unlock(&jobs->lock);
}

void worker_pool_finish(struct worker_pool *jobs)
{
	pthread_mutex_lock(&jobs->lock);
	work(jobs);
	while (jobs->done < jobs->count)
		pthread_cond_wait(&jobs->ended, &jobs->lock);
	pthread_mutex_unlock(&jobs->lock);
}
