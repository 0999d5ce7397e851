// errno is the program's: no access, lock, atomic, malloc or copy changes it.
// build: -pthread
// stdout: 77 77 77
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int plain[20000];
static atomic_int counter;
static char from[5000], to[5000];

static int work(void)
{
	errno = 77;
	for (int i = 0; i < 20000; i++)
		plain[i] += i; /* more than a buffer holds */
	pthread_mutex_lock(&lock);
	counter++;
	memcpy(to, from, sizeof(to));
	free(malloc(10));
	pthread_mutex_unlock(&lock);
	return errno;
}

static void *run(void *result)
{
	*(int *)result = work();
	return NULL;
}

int main(void)
{
	pthread_t thread;
	int theirs, mine;

	pthread_create(&thread, NULL, run, &theirs);
	pthread_join(thread, NULL);
	mine = work();
	printf("%d %d %d\n", theirs, mine, errno);
	return 0;
}
