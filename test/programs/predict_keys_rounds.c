// A destructor that sets its value again is called again, PTHREAD_DESTRUCTOR_ITERATIONS times in all: what it
// does in the last round is done before the thread is over, whichever number its key has.
// build: -pthread
// stdout: 4 4
// count: 1 ^T2\|end
// count: 4 ^T2\|acq\(.*predict_keys_rounds
// count: 4 ^T2\|rel\(.*predict_keys_rounds
// predict: silent
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <threads.h>

static pthread_key_t posix;
static tss_t c11;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rounds[2];

// Taken for the other key's destructor, which comes next in the same round and gives it back.
static void on_posix(void *value)
{
	pthread_mutex_lock(&lock);
	if (++rounds[0] < PTHREAD_DESTRUCTOR_ITERATIONS)
		pthread_setspecific(posix, value);
}

static void on_c11(void *value)
{
	if (++rounds[1] < PTHREAD_DESTRUCTOR_ITERATIONS)
		tss_set(c11, value);
	pthread_mutex_unlock(&lock);
}

static void *nothing(void *unused)
{
	return unused;
}

static void *leave(void *value)
{
	pthread_setspecific(posix, value);
	tss_set(c11, value);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, nothing,
		       NULL); // a recorder needs a key by now: it comes before these
	pthread_join(thread, NULL);
	pthread_key_create(&posix, on_posix);
	tss_create(&c11, on_c11);
	pthread_create(&thread, NULL, leave, &lock);
	pthread_join(thread, NULL);
	printf("%d %d\n", rounds[0], rounds[1]);
	return 0;
}
