/*
 * Tests code that runs before main: constructors that lock, allocate and create threads, and a
 * symbol search that allocates while the runtime looks up its own symbols.
 */
#include "recorded.h"

#include <dlfcn.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char *early;
static int steps;

static void *step(void *unused)
{
	pthread_mutex_lock(&mutex);
	steps++;
	pthread_mutex_unlock(&mutex);
	return unused;
}

__attribute__((constructor(101))) static void first(void)
{
	pthread_t thread;

	early = malloc(100);
	strcpy(early, "early");
	step(NULL);
	CHECK_SAME(pthread_create(&thread, NULL, step, NULL), 0);
	CHECK_SAME(pthread_join(thread, NULL), 0);
}

/* A failing search stores an error message, which the C library allocates and frees later. */
__attribute__((constructor(102))) static void search(void)
{
	CHECK(dlsym(RTLD_NEXT, "no such function") == NULL);
	CHECK(dlerror() != NULL);
	CHECK(dlopen("no such library", RTLD_NOW) == NULL);
	CHECK(dlerror() != NULL);
}

__attribute__((destructor)) static void last(void)
{
	step(NULL);
	free(early);
	if (steps != 3 || check_failures)
		_exit(1);
}

/* The stack must be aligned in functions that the runtime calls. */
static void *aligned(void *unused)
{
	_Alignas(32) volatile char buffer[32];

	CHECK_SAME((uintptr_t)buffer % 32, 0);
	CHECK_SAME(((uintptr_t)__builtin_frame_address(0)) % 16, 0);
	return unused;
}

static void aligned_once(void)
{
	aligned(NULL);
}

int main(void)
{
	pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_t thread;

	CHECK_SAME(steps, 2);
	early = realloc(early, 100000);
	CHECK_SAME(strcmp(early, "early"), 0);
	pthread_create(&thread, NULL, aligned, NULL);
	pthread_join(thread, NULL);
	pthread_once(&once, aligned_once);
	return check_result();
}
