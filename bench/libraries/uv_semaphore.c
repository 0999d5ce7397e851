// LIBS: -luv

// uv_sem_t hands a value from one thread to another.
#include <uv.h>

static uv_sem_t filled;
static int value;

static void producer(void *unused)
{
	(void)unused;
#ifdef BUG
	uv_sem_post(&filled);
	value = 9;
#else
	value = 9;
	uv_sem_post(&filled);
#endif
}

int main(void)
{
	uv_thread_t thread;
	int seen;

	uv_sem_init(&filled, 0);
	uv_thread_create(&thread, producer, NULL);
	uv_sem_wait(&filled);
	seen = value;
	uv_thread_join(&thread);
	uv_sem_destroy(&filled);
	return seen == 1;
}
