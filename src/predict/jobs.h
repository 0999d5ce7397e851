/* Threads that share the items of a task among them. */
#ifndef PREDICT_JOBS_H
#define PREDICT_JOBS_H

#include <stddef.h>

struct jobs;

/* `helpers` threads besides the caller's; 0 is allowed. Fewer when the system gives no more. */
struct jobs *jobs_open(unsigned helpers);
void jobs_close(struct jobs *jobs);

/* Calls run(context, i) for each i below count, each once, in helpers: it returns at once. */
void jobs_start(struct jobs *jobs, void (*run)(void *context, size_t i), void *context,
		size_t count);
/* Helps with what is left, and returns when all is done. After each jobs_start. */
void jobs_finish(struct jobs *jobs);

#endif
