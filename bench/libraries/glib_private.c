// FLAGS: $(pkg-config --cflags glib-2.0) LIBS: $(pkg-config --libs glib-2.0)

// Each thread has a buffer of its own in a GPrivate, which GLib frees at the end of the thread.
#include <glib.h>

static GPrivate key = G_PRIVATE_INIT(g_free);
static int *last;

static gpointer worker(gpointer unused)
{
	int *own = g_private_get(&key);

	if (!own) {
		own = g_new0(int, 4);
		g_private_set(&key, own);
	}
	own[1]++;
#ifdef BUG
	last = own;
	last[2] = 1;
#endif
	return unused;
}

int main(void)
{
	GThread *threads[2];

	for (int i = 0; i < 2; i++)
		threads[i] = g_thread_new("worker", worker, NULL);
	for (int i = 0; i < 2; i++)
		g_thread_join(threads[i]);
	return last == (int *)&key;
}
