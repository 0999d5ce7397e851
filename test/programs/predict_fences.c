// Publication with relaxed accesses and fences, used right: silent.
// build: -pthread
// stdout: 42
// predict: silent
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static int data;
static atomic_int ready;

static void *publish(void *unused)
{
	data = 42;
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&ready, 1, memory_order_relaxed);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, publish, NULL);
	while (!atomic_load_explicit(&ready, memory_order_relaxed))
		;
	atomic_thread_fence(memory_order_acquire);
	printf("%d\n", data);
	pthread_join(thread, NULL);
	return 0;
}
