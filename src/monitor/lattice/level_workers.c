/* Worker threads that merge ranges of a level in parallel. */
#include "monitor/lattice/level_walk.h"

#include "base/mem.h"

/*
 * The worker threads of a walk. They are kept over all levels, because starting a thread costs as
 * much as merging a thousand cuts. The caller is worker 0.
 */
struct level_workers {
	unsigned jobs, busy;
	uint64_t generation;
	bool over;
	void (*work)(void *context, unsigned job);
	void *context;
	pthread_mutex_t lock;
	pthread_cond_t begin, end;
	struct worker_thread {
		struct level_workers *threads;
		unsigned job;
		pthread_t thread;
	} started[];
};

static void *run_worker(void *self)
{
	struct worker_thread *worker_thread = self;
	struct level_workers *threads = worker_thread->threads;
	uint64_t generation = 0;

	pthread_mutex_lock(&threads->lock);
	for (;;) {
		while (threads->generation == generation && !threads->over)
			pthread_cond_wait(&threads->begin, &threads->lock);
		if (threads->over)
			break;
		generation = threads->generation;
		pthread_mutex_unlock(&threads->lock);
		threads->work(threads->context, worker_thread->job);
		pthread_mutex_lock(&threads->lock);
		if (!--threads->busy)
			pthread_cond_signal(&threads->end);
	}
	pthread_mutex_unlock(&threads->lock);
	return NULL;
}

struct level_workers *level_workers_new(unsigned jobs)
{
	struct level_workers *threads;

	if (jobs < 2)
		return NULL;
	threads = mem_zalloc(1, sizeof *threads + jobs * sizeof threads->started[0]);
	threads->jobs = 1;
	pthread_mutex_init(&threads->lock, NULL);
	pthread_cond_init(&threads->begin, NULL);
	pthread_cond_init(&threads->end, NULL);
	/* If no thread can be created, the caller does all the work. */
	while (threads->jobs < jobs) {
		struct worker_thread *worker_thread = &threads->started[threads->jobs];

		*worker_thread = (struct worker_thread){ .threads = threads, .job = threads->jobs };
		if (pthread_create(&worker_thread->thread, NULL, run_worker, worker_thread))
			break;
		threads->jobs++;
	}
	return threads;
}

void level_workers_free(struct level_workers *threads)
{
	if (!threads)
		return;
	pthread_mutex_lock(&threads->lock);
	threads->over = true;
	pthread_cond_broadcast(&threads->begin);
	pthread_mutex_unlock(&threads->lock);
	for (unsigned i = 1; i < threads->jobs; i++)
		pthread_join(threads->started[i].thread, NULL);
	pthread_mutex_destroy(&threads->lock);
	pthread_cond_destroy(&threads->begin);
	pthread_cond_destroy(&threads->end);
	free(threads);
}

unsigned level_workers_jobs(const struct level_workers *threads)
{
	return threads ? threads->jobs : 1;
}

void level_workers_run(struct level_workers *threads, void (*work)(void *context, unsigned job),
		       void *context)
{
	if (threads) {
		pthread_mutex_lock(&threads->lock);
		threads->work = work;
		threads->context = context;
		threads->busy = threads->jobs - 1;
		threads->generation++;
		pthread_cond_broadcast(&threads->begin);
		pthread_mutex_unlock(&threads->lock);
	}
	work(context, 0);
	if (threads) {
		pthread_mutex_lock(&threads->lock);
		while (threads->busy)
			pthread_cond_wait(&threads->end, &threads->lock);
		pthread_mutex_unlock(&threads->lock);
	}
}
