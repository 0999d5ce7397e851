// LIBS: -luv

// libuv's barrier separates two phases.
#include <uv.h>

static uv_barrier_t barrier;
static int parts[2], sums[2];

static void worker(void *argument)
{
	int i = (int)(long)argument;

	parts[i] = i + 1;
#ifndef BUG
	uv_barrier_wait(&barrier);
#endif
	sums[i] = parts[0] + parts[1];
}

int main(void)
{
	uv_thread_t threads[2];

	uv_barrier_init(&barrier, 2);
	for (long i = 0; i < 2; i++)
		uv_thread_create(&threads[i], worker, (void *)i);
	for (int i = 0; i < 2; i++)
		uv_thread_join(&threads[i]);
	return sums[0] < 0;
}
