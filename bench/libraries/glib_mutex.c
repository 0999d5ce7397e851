// FLAGS: $(pkg-config --cflags glib-2.0) LIBS: $(pkg-config --libs glib-2.0)

// A GMutex protects a plain counter. GLib builds the lock from its own futex calls.
#include <glib.h>

static GMutex lock;
static int count;

static gpointer worker(gpointer unused)
{
	for (int i = 0; i < 4; i++) {
#ifndef BUG
		g_mutex_lock(&lock);
#endif
		count++;
#ifndef BUG
		g_mutex_unlock(&lock);
#endif
	}
	return unused;
}

int main(void)
{
	GThread *threads[2];

	for (int i = 0; i < 2; i++)
		threads[i] = g_thread_new("worker", worker, NULL);
	for (int i = 0; i < 2; i++)
		g_thread_join(threads[i]);
	return 0;
}
