// FLAGS: $(pkg-config --cflags glib-2.0) LIBS: $(pkg-config --libs glib-2.0)

// Two threads share a block whose references GLib counts. The last one frees it.
#include <glib.h>

struct shared {
	int value;
};

static gpointer worker(gpointer data)
{
	struct shared *shared = data;

	(void)*(volatile int *)&shared->value;
#ifdef BUG
	shared->value++;
#endif
	g_atomic_rc_box_release(shared);
	return NULL;
}

int main(void)
{
	struct shared *shared = g_atomic_rc_box_new0(struct shared);
	GThread *threads[2];

	shared->value = 3;
	for (int i = 0; i < 2; i++)
		threads[i] = g_thread_new("worker", worker, g_atomic_rc_box_acquire(shared));
	g_atomic_rc_box_release(shared);
	for (int i = 0; i < 2; i++)
		g_thread_join(threads[i]);
	return 0;
}
