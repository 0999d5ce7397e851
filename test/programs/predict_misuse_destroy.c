// A lock, a read-write lock and a condition that can be destroyed while another thread holds them or
// waits at them: in the recorded run it was done by then. Not so the same where who destroys has joined
// the other, was signalled by it, or has itself sent the only signal there is. What
// is found twice is held when it is destroyed, and used behind that.
// build: -pthread
// plain: lib/turn.c
// predict: misuse lock@DESTROY lock@LOCK
// predict: misuse lock@DESTROY lock@LOCK
// predict: misuse shared@DESTROY_SHARED shared@READ
// predict: misuse shared@DESTROY_SHARED shared@READ
// predict: misuse changed@DESTROY_CHANGED changed@WAIT
// predict: misuse changed@DESTROY_CHANGED changed@WAIT
// predict: misuse changed@DESTROY_CHANGED changed@SIGNAL
#include <pthread.h>
#include <semaphore.h>

void turn_wait(int number);
void turn_done(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, fine = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t handed = PTHREAD_MUTEX_INITIALIZER, m = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER, own = PTHREAD_COND_INITIALIZER;
static sem_t done;
static int ready, set;

static void *use(void *unused)
{
	pthread_mutex_lock(&lock); // LOCK
	pthread_mutex_unlock(&lock);
	pthread_rwlock_rdlock(&shared); // READ
	pthread_rwlock_unlock(&shared);
	pthread_mutex_lock(&fine);
	pthread_mutex_unlock(&fine);
	pthread_mutex_lock(&handed);
	pthread_mutex_unlock(&handed);
	sem_post(&done);
	turn_done();
	return unused;
}

static void *wait_for(void *unused)
{
	pthread_mutex_lock(&m);
	turn_done();
	while (!ready)
		pthread_cond_wait(&changed, &m); // WAIT
	while (!set)
		pthread_cond_wait(&own, &m);
	pthread_mutex_unlock(&m);
	turn_done();
	return unused;
}

static void *signal_it(void *unused)
{
	turn_wait(2);
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_cond_signal(&changed); // SIGNAL
	pthread_mutex_unlock(&m);
	return unused;
}

int main(void)
{
	pthread_t threads[3];

	sem_init(&done, 0, 0);
	pthread_create(&threads[0], NULL, use, NULL);
	turn_wait(1);
	pthread_mutex_destroy(&lock);	 // DESTROY
	pthread_rwlock_destroy(&shared); // DESTROY_SHARED
	sem_wait(&done);
	pthread_mutex_destroy(&handed);
	pthread_join(threads[0], NULL);
	pthread_mutex_destroy(&fine);
	pthread_create(&threads[1], NULL, wait_for, NULL);
	pthread_create(&threads[2], NULL, signal_it, NULL);
	turn_wait(2);
	pthread_mutex_lock(&m);
	set = 1;
	pthread_cond_signal(&own);
	pthread_mutex_unlock(&m);
	turn_wait(3);
	pthread_cond_destroy(&changed); // DESTROY_CHANGED
	pthread_cond_destroy(&own);
	pthread_join(threads[1], NULL);
	pthread_join(threads[2], NULL);
	return 0;
}
