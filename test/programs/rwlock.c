// Read-write locks: readers together, a writer alone, tries that fail, time-outs.
// build: -pthread
// stdout: 0 0 1 1
// stdout: 1 1 1 1
// stdout: value 5
// count: 1 ^T1\|racq\(
// count: 1 ^T1\|tryracq\(.*\)=1\|
// count: 2 ^T1\|rrel\(
// count: 1 ^T1\|tryacq\(.*\)=0\|
// count: 1 ^T1\|tryacq\(.*\)=timeout\|
// count: 1 ^T2\|tryracq\(.*\)=0\|
// count: 1 ^T2\|tryracq\(.*\)=timeout\|
// count: 1 ^T2\|tryacq\(.*\)=timeout\|
// count: 1 ^T0\|acq\(
// count: 1 ^T0\|rel\(
// count: 2 ^T0\|rrel\(
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *beside_reader(void *unused)
{
	struct timespec past = { 1, 0 };
	int a = pthread_rwlock_rdlock(&lock), b = pthread_rwlock_tryrdlock(&lock);

	pthread_rwlock_unlock(&lock);
	pthread_rwlock_unlock(&lock);
	printf("%d %d %d %d\n", a, b, pthread_rwlock_trywrlock(&lock) == EBUSY,
	       pthread_rwlock_timedwrlock(&lock, &past) == ETIMEDOUT);
	return unused;
}

static void *beside_writer(void *unused)
{
	struct timespec past = { 1, 0 };
	int a = pthread_rwlock_tryrdlock(&lock) == EBUSY,
	    b = pthread_rwlock_trywrlock(&lock) == EBUSY;
	int c = pthread_rwlock_timedrdlock(&lock, &past) == ETIMEDOUT;
	int d = pthread_rwlock_timedwrlock(&lock, &past) == ETIMEDOUT;

	printf("%d %d %d %d\n", a, b, c, d);
	return unused;
}

static void run(void *(*body)(void *))
{
	pthread_t thread;

	pthread_create(&thread, NULL, body, NULL);
	pthread_join(thread, NULL);
}

int main(void)
{
	pthread_rwlock_rdlock(&lock);
	run(beside_reader);
	pthread_rwlock_unlock(&lock);
	pthread_rwlock_wrlock(&lock);
	value = 5;
	run(beside_writer);
	pthread_rwlock_unlock(&lock);
	pthread_rwlock_rdlock(&lock);
	printf("value %d\n", value);
	pthread_rwlock_unlock(&lock);
	pthread_rwlock_destroy(&lock);
	return 0;
}
