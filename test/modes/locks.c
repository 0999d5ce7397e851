// A mutex, a condition, a semaphore and plain accesses; a recursive mutex; an errorcheck mutex given
// up by somebody else.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, recursive, careful;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int count, plain, ready;

static void *work(void *argument)
{
	int me = (int)(long)argument;

	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		count += me;
		pthread_mutex_unlock(&lock);
		plain = plain + 1;
	}
	pthread_mutex_lock(&recursive);
	pthread_mutex_lock(&recursive);
	count++;
	pthread_mutex_unlock(&recursive);
	pthread_mutex_unlock(&recursive);
	assert(pthread_mutex_unlock(&careful) == EPERM);
	sem_wait(&semaphore);
	pthread_mutex_lock(&lock);
	ready++;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return argument;
}

int main(void)
{
	pthread_t thread[3];
	pthread_mutexattr_t kind;

	pthread_mutexattr_init(&kind);
	pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&recursive, &kind);
	pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&careful, &kind);
	sem_init(&semaphore, 0, 1);
	pthread_mutex_lock(&careful);
	for (long i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, work, (void *)(i + 1));
	sem_post(&semaphore);
	sem_post(&semaphore);
	pthread_mutex_lock(&lock);
	while (ready < 3)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	for (long i = 0; i < 3; i++) {
		void *result;
		pthread_join(thread[i], &result);
		assert(result == (void *)(i + 1));
	}
	return 0;
}
