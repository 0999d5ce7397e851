/* A program with functions of its own that are named like those of the C library. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

struct stat;
static int calls;

pid_t gettid(void)
{
	calls++;
	return (pid_t)syscall(SYS_gettid);
}

int mkdir(const char *path, unsigned mode)
{
	calls++;
	return -1;
}

int fstat(int fd, struct stat *to)
{
	calls++;
	return -1;
}

char *getcwd(char *to, size_t size)
{
	calls++;
	return NULL;
}

int open(const char *path, int flags, ...)
{
	calls++;
	return -1;
}

int close(int fd)
{
	calls++;
	return -1;
}

char *getenv(const char *name)
{
	calls++;
	return NULL;
}

static void *thread(void *unused)
{
	return NULL;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	printf("%d calls\n", calls);
	return 0;
}
