// One joins the other while it holds the lock that the other needs; a third cancels the join, which gives the
// lock back: no deadlock. Where the cancellation comes is not varied, so it is never complete.
// explore: open
// build: -pthread
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static pthread_t joining, counting;
static int count;

static void give_back(void *held)
{
	pthread_mutex_unlock(held);
}

static void *count_up(void *unused)
{
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&lock);
	count++;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *join(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(give_back, &lock);
	pthread_barrier_wait(&both);
	pthread_join(counting, NULL);
	pthread_cleanup_pop(1);
	return unused;
}

int main(void)
{
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&counting, NULL, count_up, NULL);
	pthread_create(&joining, NULL, join, NULL);
	pthread_cancel(joining);
	pthread_join(joining, NULL);
	pthread_join(counting, NULL);
	assert(count == 1);
	return 0;
}
