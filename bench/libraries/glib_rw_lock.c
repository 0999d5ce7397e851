// FLAGS: $(pkg-config --cflags glib-2.0) LIBS: $(pkg-config --libs glib-2.0)

// A GRWLock: readers look at a table, a writer replaces it.
#include <glib.h>

static GRWLock lock;
static int *table;

static gpointer reader(gpointer unused)
{
	int seen;

	g_rw_lock_reader_lock(&lock);
	seen = table[0];
	g_rw_lock_reader_unlock(&lock);
	return seen < 0 ? unused : NULL;
}

static gpointer writer(gpointer unused)
{
	int *fresh = g_new0(int, 2), *old;

#ifndef BUG
	g_rw_lock_writer_lock(&lock);
#endif
	old = table;
	table = fresh;
#ifndef BUG
	g_rw_lock_writer_unlock(&lock);
#endif
	g_free(old);
	return unused;
}

int main(void)
{
	GThread *threads[3];

	table = g_new0(int, 2);
	threads[0] = g_thread_new("reader", reader, NULL);
	threads[1] = g_thread_new("writer", writer, NULL);
	threads[2] = g_thread_new("reader", reader, NULL);
	for (int i = 0; i < 3; i++)
		g_thread_join(threads[i]);
	g_free(table);
	return 0;
}
