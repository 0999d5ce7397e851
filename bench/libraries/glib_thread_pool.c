// FLAGS: $(pkg-config --cflags glib-2.0) LIBS: $(pkg-config --libs glib-2.0)

// A GThreadPool calls back with items; results are collected under a lock of GLib.
#include <glib.h>

static GMutex lock;
static int sum;

static void work(gpointer item, gpointer unused)
{
	(void)unused;
#ifndef BUG
	g_mutex_lock(&lock);
#endif
	sum += *(int *)item;
#ifndef BUG
	g_mutex_unlock(&lock);
#endif
	g_free(item);
}

int main(void)
{
	GThreadPool *pool = g_thread_pool_new(work, NULL, 2, TRUE, NULL);

	for (int i = 1; i <= 4; i++) {
		int *item = g_new(int, 1);

		*item = i;
		g_thread_pool_push(pool, item, NULL);
	}
	g_thread_pool_free(pool, FALSE, TRUE);
	return sum < 1;
}
