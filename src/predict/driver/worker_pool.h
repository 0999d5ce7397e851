/* Threads that share the items of a task among them. */
#ifndef PREDICT_DRIVER_WORKER_POOL_H
#define PREDICT_DRIVER_WORKER_POOL_H

#include <stddef.h>

struct worker_pool;

/* `helpers` threads besides the caller's; 0 is allowed. Fewer when the system gives no more. */
struct worker_pool *worker_pool_open(unsigned helpers);
void worker_pool_close(struct worker_pool *jobs);

/* Calls run(context, i) for each i below count, each once, in helpers: it returns at once. */
void worker_pool_start(struct worker_pool *jobs, void (*run)(void *context, size_t i),
		       void *context, size_t count);
/* Helps with what is left, and returns when all is done. After each worker_pool_start. */
void worker_pool_finish(struct worker_pool *jobs);

#endif
