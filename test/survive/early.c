/*
 * Before main, and before the runtime has been initialised in its turn: code from .preinit_array,
 * an allocator of the program's own that looks up the real one with dlsym (which allocates
 * itself), locks, threads and accesses.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int steps[4];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long calls;

/* As many debugging allocators do it. The first calls come from the loader and from dlsym. */
void *calloc(size_t count, size_t size)
{
	static void *(*real)(size_t, size_t);
	static char spare[4096];
	static size_t used;
	static int looking;

	calls++;
	if (!real && !looking) {
		looking = 1;
		void *found = dlsym(RTLD_NEXT, "calloc");
		memcpy(&real, &found, sizeof(real));
		looking = 0;
	}
	if (real)
		return real(count, size);
	size_t at = used;
	used += (count * size + 15) & ~(size_t)15;
	return used <= sizeof(spare) ? spare + at : NULL;
}

static void step(int i)
{
	char *text = malloc(32);

	pthread_mutex_lock(&lock);
	snprintf(text, 32, "%d", i);
	steps[i] = atoi(text) + 1;
	pthread_mutex_unlock(&lock);
	free(text);
}

static void *in_thread(void *unused)
{
	step(2);
	return unused;
}

static void before_all(int argc, char **argv, char **environment)
{
	(void)argc, (void)argv, (void)environment;
	step(0);
	/* The handle is null when it is not found; what counts is that the call returns. */
	steps[3] += dlsym(RTLD_DEFAULT, "no_such_function") != NULL;
}
__attribute__((section(".preinit_array"), used)) static void (*preinit)(int, char **,
									char **) = before_all;

static __attribute__((constructor(101))) void constructor(void)
{
	pthread_t thread;

	step(1);
	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
	free(calloc(3, 5));
}

int main(void)
{
	printf("%d %d %d %d %d\n", steps[0], steps[1], steps[2], steps[3], calls > 0);
	return 0;
}
