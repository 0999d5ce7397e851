// A fork child goes on alone, makes a thread of its own and ends with its own status.
// build: -pthread
// stdout: child 6
// stdout: parent 5, status 4
// traces: 2
// count: 1 ^T1\|w\(value@4\)=5\|
// notext: \|w\(value@4\)=6\|
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *add(void *n)
{
	pthread_mutex_lock(&lock);
	value += *(int *)n;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void run(int n)
{
	pthread_t thread;

	pthread_create(&thread, NULL, add, &n);
	pthread_join(thread, NULL);
}

int main(void)
{
	int status;

	run(5);
	pid_t child = fork();
	if (child == 0) {
		run(1);
		printf("child %d\n", value);
		return 4;
	}
	waitpid(child, &status, 0);
	printf("parent %d, status %d\n", value, WEXITSTATUS(status));
	return 0;
}
