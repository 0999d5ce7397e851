// What is done wrong has the results that it has without us, which are asserted here, however it is run.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER, gone = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t met, leaves;

static void *stay(void *unused)
{
	pthread_barrier_wait(&met);
	pthread_barrier_wait(&leaves);
	return unused;
}

static void *misuse_others(void *unused)
{
	assert(pthread_mutex_unlock(&normal) == 0);
	assert(pthread_mutex_unlock(&checked) == EPERM);
	assert(pthread_mutex_destroy(&checked) == EBUSY);
	assert(pthread_cond_wait(&cond, &checked) == EPERM);
	return unused;
}

static void *end_with_lock(void *unused)
{
	assert(pthread_mutex_lock(&normal) == 0);
	return unused;
}

static void *detach_itself(void *unused)
{
	int result = pthread_detach(pthread_self());

	assert(result == 0);
	return unused;
}

/* Of two that join it one is refused, whichever it is. */
static void *join_it(void *thread)
{
	int result = pthread_join(*(pthread_t *)thread, NULL);

	assert(result == 0 || result == EINVAL || result == ESRCH);
	return result == 0 ? thread : NULL;
}

static void *use_mutexes(void *unused)
{
	pthread_t thread;

	pthread_mutex_lock(&normal);
	pthread_mutex_lock(&checked);
	pthread_create(&thread, NULL, misuse_others, NULL);
	pthread_join(thread, NULL);
	assert(pthread_mutex_lock(&checked) == EDEADLK);
	assert(pthread_mutex_unlock(&checked) == 0);
	assert(pthread_mutex_destroy(&gone) == 0);
	assert(pthread_mutex_lock(&gone) == EINVAL);
	assert(pthread_mutex_trylock(&gone) == EINVAL);
	assert(pthread_mutex_unlock(&gone) == EINVAL);
	assert(pthread_cond_wait(&cond, &gone) == EINVAL);
	return unused;
}

static void use_threads(void)
{
	pthread_t thread, others[2];
	void *results[2];

	assert(pthread_join(pthread_self(), NULL) == EDEADLK);
	pthread_create(&thread, NULL, stay, NULL);
	pthread_barrier_wait(&met);
	assert(pthread_detach(thread) == 0);
	assert(pthread_detach(thread) == EINVAL);
	assert(pthread_join(thread, NULL) == EINVAL);
	assert(pthread_tryjoin_np(thread, NULL) == EBUSY);
	pthread_barrier_wait(&leaves);
	pthread_create(&thread, NULL, end_with_lock, NULL);
	assert(pthread_join(thread, NULL) == 0);
	assert(pthread_join(thread, NULL) == ESRCH);
	assert(pthread_tryjoin_np(thread, NULL) == EBUSY);
	assert(pthread_detach(thread) == ESRCH);
	pthread_create(&thread, NULL, detach_itself, NULL);
	int result = pthread_join(thread, NULL);
	assert(result == 0 || result == EINVAL);
	pthread_create(&thread, NULL, stay, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&others[i], NULL, join_it, &thread);
	pthread_barrier_wait(&met);
	pthread_barrier_wait(&leaves);
	for (int i = 0; i < 2; i++)
		pthread_join(others[i], &results[i]);
	assert(!results[0] != !results[1]);
}

static void use_others(void)
{
	pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
	pthread_barrier_t barrier;
	sem_t sem;

	assert(pthread_barrier_init(&barrier, NULL, 0) == EINVAL);
	assert(sem_init(&sem, 0, (unsigned)INT_MAX + 1) == -1 && errno == EINVAL);
	sem_init(&sem, 0, INT_MAX);
	assert(sem_post(&sem) == -1 && errno == EOVERFLOW);
	assert(pthread_rwlock_unlock(&shared) == 0);
}

int main(void)
{
	pthread_t thread;

	pthread_barrier_init(&met, NULL, 2);
	pthread_barrier_init(&leaves, NULL, 2);
	pthread_create(&thread, NULL, use_mutexes, NULL);
	pthread_join(thread, NULL);
	use_threads();
	use_others();
	return 0;
}
