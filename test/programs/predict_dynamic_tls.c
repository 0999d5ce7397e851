// When a thread is created, the C library takes the stack of a detached thread that has ended, and
// frees that thread's dynamic thread-local variables: no use is after that free.
// build: -pthread -ldl
// library: lib/large.c
// run: ./liblarge.so
// predict: silent
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>

static long *(*get)(void);

static void *use(void *unused)
{
	*(volatile long *)get() = 42;
	return unused;
}

/* Nothing orders the end of the other thread for sooth: the kernel counts the threads. */
static void wait_until_alone(void)
{
	struct stat tasks;

	while (stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink > 3)
		sched_yield();
}

int main(int count, char **arguments)
{
	pthread_attr_t detached;
	pthread_t first, second;

	get = (long *(*)(void))dlsym(dlopen(arguments[count - 1], RTLD_LAZY), "large_get");
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	pthread_create(&first, &detached, use, NULL);
	wait_until_alone();
	pthread_create(&second, NULL, use, NULL);
	pthread_join(second, NULL);
	return 0;
}
