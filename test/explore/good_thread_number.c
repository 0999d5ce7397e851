// What only fibers show is not the program's: they all have one number in the kernel, and threads have
// not. The failure that comes of it is no finding, and the search goes on with threads of the kernel.
// explore: unknown
// build: -pthread
#include <assert.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static long first;
static int value;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *unused)
{
	assert(syscall(SYS_gettid) != first);
	pthread_mutex_lock(&lock);
	value++;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	first = syscall(SYS_gettid);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(value == 2);
	return 0;
}
