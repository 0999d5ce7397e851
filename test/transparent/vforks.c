/*
 * A child of vfork that fails to become another program and ends, while threads of its parent wait for
 * their turns: they go on, and the parent ends in its own way.
 */
#include "say.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *add(void *unused)
{
	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&lock);
		total++;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static void *end(void *unused)
{
	printf("total %d\n", total);
	fflush(stdout);
	_exit(4);
	return unused;
}

int main(void)
{
	pthread_t threads[3];
	int status = 0;

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	pid_t child = vfork();
	if (child == 0) {
		execl("/no/such/program", "program", (char *)NULL);
		_exit(127);
	}
	waitpid(child, &status, 0);
	printf("child %x\n", status);
	fflush(stdout);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	pthread_create(&threads[0], NULL, end, NULL);
	pthread_join(threads[0], NULL);
	return 1;
}
