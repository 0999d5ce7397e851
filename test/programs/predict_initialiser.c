// Locks and a condition in a function that is called twice: destroyed at its end, they begin again by their initialisers, at
// the same place of the stack. That is no use of what is destroyed.
// build: -pthread
// stdout: 6
// predict: silent
#include <pthread.h>
#include <stdio.h>

struct request {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_rwlock_t guard;
	int done, sum;
};

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queued = PTHREAD_COND_INITIALIZER;
static struct request *next;

static void *serve(void *unused)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&queue_lock);
		while (!next)
			pthread_cond_wait(&queued, &queue_lock);
		struct request *request = next;
		next = NULL;
		pthread_mutex_unlock(&queue_lock);
		pthread_rwlock_wrlock(&request->guard);
		request->sum = 3;
		pthread_rwlock_unlock(&request->guard);
		pthread_mutex_lock(&request->lock);
		request->done = 1;
		pthread_cond_signal(&request->changed);
		pthread_mutex_unlock(&request->lock);
	}
	return unused;
}

static int __attribute__((noinline)) ask(void)
{
	struct request request = { .lock = PTHREAD_MUTEX_INITIALIZER,
				   .changed = PTHREAD_COND_INITIALIZER,
				   .guard = PTHREAD_RWLOCK_INITIALIZER };

	pthread_mutex_lock(&queue_lock);
	next = &request;
	pthread_cond_signal(&queued);
	pthread_mutex_unlock(&queue_lock);
	pthread_mutex_lock(&request.lock);
	while (!request.done)
		pthread_cond_wait(&request.changed, &request.lock);
	pthread_mutex_unlock(&request.lock);
	pthread_rwlock_rdlock(&request.guard);
	int sum = request.sum;
	pthread_rwlock_unlock(&request.guard);
	pthread_mutex_destroy(&request.lock);
	pthread_cond_destroy(&request.changed);
	pthread_rwlock_destroy(&request.guard);
	return sum;
}

int main(void)
{
	pthread_t thread;
	int sum;

	pthread_create(&thread, NULL, serve, NULL);
	sum = ask();
	sum += ask();
	pthread_join(thread, NULL);
	printf("%d\n", sum);
	return 0;
}
