// FLAGS: $(pkg-config --cflags glib-2.0) LIBS: $(pkg-config --libs glib-2.0)

// g_bit_lock uses one bit of a word that also holds a count.
#include <glib.h>

static gint word;
static int data;

static gpointer worker(gpointer unused)
{
	for (int i = 0; i < 3; i++) {
#ifndef BUG
		g_bit_lock(&word, 0);
#endif
		data++;
#ifndef BUG
		g_bit_unlock(&word, 0);
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
	return data < 0;
}
