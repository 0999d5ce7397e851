// A program that calls the kernel directly has mappings, too: memory that was unmapped is there again.
// build: -pthread
// predict: silent
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096

static char *shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static char *map(void *at)
{
	return (char *)syscall(SYS_mmap, at, PAGE, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);
}

static void *begin(void *unused)
{
	shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	shared[1] = 1;
	munmap(shared, PAGE);
	return unused;
}

static void *use(void *unused)
{
	pthread_mutex_lock(&lock);
	shared[1]++;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, begin, NULL);
	pthread_join(thread, NULL);
	if (map(shared) != shared)
		return 1;
	shared[1]++;
	pthread_create(&thread, NULL, use, NULL);
	pthread_join(thread, NULL);
	syscall(SYS_munmap, shared, PAGE);
	return 0;
}
