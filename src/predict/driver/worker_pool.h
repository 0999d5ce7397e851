/* A pool of threads that share the items of one task. */
#ifndef PREDICT_DRIVER_WORKER_POOL_H
#define PREDICT_DRIVER_WORKER_POOL_H

#include <stddef.h>

struct worker_pool;

/* Starts `helpers` threads besides the caller's: 0 or more; fewer if the system refuses. */
struct worker_pool *worker_pool_open(unsigned helpers);
void worker_pool_close(struct worker_pool *pool);

/* Makes the helpers call run(context, i) once for each i below `count`, and returns at once. */
void worker_pool_start(struct worker_pool *pool, void (*run)(void *context, size_t i),
		       void *context, size_t count);
/*
 * Runs remaining items in the caller's thread, and returns when all are done. Required after each
 * worker_pool_start().
 */
void worker_pool_finish(struct worker_pool *pool);

#endif
