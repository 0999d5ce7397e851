/*
 * A pool of threads for one task at a time. A mutex guards the counters; items are handed out one
 * by one.
 */
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
	size_t count, taken, done; /* items of the present task */
	bool closing;
	unsigned helpers;
	pthread_t threads[];
};

/* Takes and runs items until none is left. The caller holds the lock before and after. */
static void run_remaining_items(struct worker_pool *pool)
{
	while (pool->taken < pool->count) {
		size_t i = pool->taken++;

		pthread_mutex_unlock(&pool->lock);
		pool->run(pool->context, i);
		pthread_mutex_lock(&pool->lock);
		if (++pool->done == pool->count)
			pthread_cond_signal(&pool->ended);
	}
}

static void *run_helper(void *argument)
{
	struct worker_pool *pool = argument;

	pthread_mutex_lock(&pool->lock);
	while (!pool->closing) {
		run_remaining_items(pool);
		if (!pool->closing)
			pthread_cond_wait(&pool->more, &pool->lock);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

struct worker_pool *worker_pool_open(unsigned helpers)
{
	struct worker_pool *pool = mem_zalloc(1, sizeof *pool + helpers * sizeof pool->threads[0]);

	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->more, NULL);
	pthread_cond_init(&pool->ended, NULL);
	while (pool->helpers < helpers &&
	       pthread_create(&pool->threads[pool->helpers], NULL, run_helper, pool) == 0)
		pool->helpers++;
	return pool;
}

void worker_pool_close(struct worker_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	assert(pool->done == pool->count);
	pool->closing = true;
	pthread_cond_broadcast(&pool->more);
	pthread_mutex_unlock(&pool->lock);
	for (unsigned i = 0; i < pool->helpers; i++)
		pthread_join(pool->threads[i], NULL);
	pthread_cond_destroy(&pool->more);
	pthread_cond_destroy(&pool->ended);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

void worker_pool_start(struct worker_pool *pool, void (*run)(void *context, size_t i),
		       void *context, size_t count)
{
	pthread_mutex_lock(&pool->lock);
	assert(pool->done == pool->count);
	pool->run = run;
	pool->context = context;
	pool->count = count;
	pool->taken = pool->done = 0;
	pthread_cond_broadcast(&pool->more);
	pthread_mutex_unlock(&pool->lock);
}

void worker_pool_finish(struct worker_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	run_remaining_items(pool);
	while (pool->done < pool->count)
		pthread_cond_wait(&pool->ended, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
}
