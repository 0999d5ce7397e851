// Normal, recursive and error-checking mutexes: results of lock, trylock, timedlock and unlock.
// build: -pthread
// stdout: try busy 1
// stdout: timed out 1
// stdout: recursive 0 0 0 0
// stdout: relock 1 foreign unlock 1
// text: ^T0\|init\(.*\)=errorcheck\|
// count: 1 ^T1\|tryacq\(.*\)=0\|
// count: 1 ^T1\|tryacq\(.*\)=timeout\|
// count: 1 ^T0\|tryacq\(.*\)=1\|
// count: 3 ^T0\|acq\(
// count: 4 ^T0\|rel\(
// notext: ^T1\|rel\(
// count: 1 \|destroy\(
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checked;

static void *other(void *foreign)
{
	struct timespec past = { 1, 0 };

	printf("try busy %d\n", pthread_mutex_trylock(&normal) == EBUSY);
	printf("timed out %d\n", pthread_mutex_timedlock(&normal, &past) == ETIMEDOUT);
	*(int *)foreign = pthread_mutex_unlock(&checked) == EPERM;
	return NULL;
}

int main(void)
{
	pthread_mutexattr_t kind;
	pthread_t thread;
	int foreign = 0;

	pthread_mutexattr_init(&kind);
	pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&checked, &kind);
	pthread_mutexattr_destroy(&kind);

	pthread_mutex_lock(&normal);
	pthread_mutex_lock(&checked);
	pthread_create(&thread, NULL, other, &foreign);
	pthread_join(thread, NULL);
	pthread_mutex_unlock(&normal);

	int a = pthread_mutex_lock(&recursive), b = pthread_mutex_trylock(&recursive);
	int c = pthread_mutex_unlock(&recursive), d = pthread_mutex_unlock(&recursive);
	printf("recursive %d %d %d %d\n", a, b, c, d);

	printf("relock %d foreign unlock %d\n", pthread_mutex_lock(&checked) == EDEADLK, foreign);
	pthread_mutex_unlock(&checked);
	pthread_mutex_destroy(&checked);
	return 0;
}
