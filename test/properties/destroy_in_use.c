// Whoever sees that all is done destroys the lock, but the worker has yet to give it back.
// property: destroy-in-use
// violates: DestroyMutexInUse destroy@DESTROY unlock@UNLOCK
#include <pthread.h>
#include <semaphore.h>

struct job {
	pthread_mutex_t lock;
	sem_t done;
	int result;
};

static void *work(void *given)
{
	struct job *job = given;

	pthread_mutex_lock(&job->lock);
	job->result = 42;
	sem_post(&job->done);
	pthread_mutex_unlock(&job->lock); // UNLOCK
	return NULL;
}

/* Twice at the same place of the stack, and without an init. */
static void lock_own(void)
{
	pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&own);
	pthread_mutex_unlock(&own);
	pthread_mutex_destroy(&own);
}

int main(void)
{
	static struct job job;
	pthread_t thread;
	int result;

	lock_own();
	lock_own();
	for (int i = 0; i < 2; i++) { /* the second time it is another lock at the same place */
		pthread_mutex_init(&job.lock, NULL);
		sem_init(&job.done, 0, 0);
		pthread_create(&thread, NULL, work, &job);
#ifdef FIXED
		pthread_join(thread, NULL);
#endif
		sem_wait(&job.done);
		result = job.result;
		pthread_mutex_destroy(&job.lock); // DESTROY
#ifndef FIXED
		pthread_join(thread, NULL);
#endif
	}
	return result != 42;
}
