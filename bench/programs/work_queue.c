/*
 * A bounded queue and workers, for bench/observe. One thread adds jobs to the queue. The workers
 * take them out and do them, and add each result to a total. usage: work_queue WORKERS JOBS
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define PLACES 4

struct job {
	unsigned seed, result;
};

int waiting, done; /* jobs in the queue; jobs that are done */

static struct job *queue[PLACES];
static unsigned first, total;
static int closed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, total_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;

__attribute__((noipa)) static void submit(struct job *job)
{
	pthread_mutex_lock(&lock);
	while (waiting == PLACES)
		pthread_cond_wait(&not_full, &lock);
	queue[(first + (unsigned)waiting) % PLACES] = job;
	waiting++;
	pthread_cond_signal(&not_empty);
	pthread_mutex_unlock(&lock);
}

static void close_queue(void)
{
	pthread_mutex_lock(&lock);
	closed = 1;
	pthread_cond_broadcast(&not_empty);
	pthread_mutex_unlock(&lock);
}

/* Returns NULL if there are no more jobs. */
static struct job *take(void)
{
	struct job *job = NULL;

	pthread_mutex_lock(&lock);
	while (!waiting && !closed)
		pthread_cond_wait(&not_empty, &lock);
	if (waiting) {
		job = queue[first];
		first = (first + 1) % PLACES;
		waiting--;
		pthread_cond_signal(&not_full);
	}
	pthread_mutex_unlock(&lock);
	return job;
}

__attribute__((noipa)) static void start(struct job *job)
{
	job->result = job->seed;
}

__attribute__((noipa)) static void finish(struct job *job)
{
	for (int i = 0; i < 3; i++)
		job->result = job->result * 1103515245u + 12345u;
}

static void *work(void *unused)
{
	for (struct job *job; (job = take());) {
		start(job);
		finish(job);
		pthread_mutex_lock(&total_lock);
		total += job->result;
		done++;
		pthread_mutex_unlock(&total_lock);
	}
	return unused;
}

int main(int argc, char **argv)
{
	int workers = argc > 1 ? atoi(argv[1]) : 3, jobs = argc > 2 ? atoi(argv[2]) : 12;
	pthread_t *threads = calloc((size_t)workers, sizeof *threads);
	struct job *all = calloc((size_t)jobs, sizeof *all);

	for (int i = 0; i < workers; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < jobs; i++) {
		all[i].seed = (unsigned)i;
		submit(&all[i]);
	}
	close_queue();
	for (int i = 0; i < workers; i++)
		pthread_join(threads[i], NULL);
	printf("%d done, total %u\n", done, total);
	free(all);
	free(threads);
	return done != jobs;
}
