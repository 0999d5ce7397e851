// LIBS: -luv

// uv_once and uv_key_t: one table for all, one counter for each thread.
#include <uv.h>

static uv_once_t once = UV_ONCE_INIT;
static uv_key_t key;
static int table[4], shared;

static void make(void)
{
	uv_key_create(&key);
	table[1] = 3;
}

static void worker(void *unused)
{
	int own = 0;

	(void)unused;
	uv_once(&once, make);
	uv_key_set(&key, &own);
	*(int *)uv_key_get(&key) += table[1];
#ifdef BUG
	shared += own;
#endif
}

int main(void)
{
	uv_thread_t threads[2];

	for (int i = 0; i < 2; i++)
		uv_thread_create(&threads[i], worker, NULL);
	for (int i = 0; i < 2; i++)
		uv_thread_join(&threads[i]);
	return shared < 0;
}
