// A process that is started among threads and waited for.
// explore: silent
// build: -pthread
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *add(void *unused)
{
	pthread_mutex_lock(&lock);
	count++;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t thread;
	int status;
	pid_t child;

	pthread_create(&thread, NULL, add, NULL);
	child = fork();
	if (child == 0)
		_exit(7);
	assert(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
	pthread_join(thread, NULL);
	assert(count == 1);
	return 0;
}
