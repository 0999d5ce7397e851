// FLAGS: $(pkg-config --cflags glib-2.0) LIBS: $(pkg-config --libs glib-2.0)

// g_once_init_enter lets one thread make a table; all others see it complete.
#include <glib.h>

static int *table;

static int *get_table(void)
{
#ifdef BUG
	if (!table) {
		int *made = g_new0(int, 4);

		made[2] = 7;
		table = made;
	}
	return table;
#else
	static gsize made;

	if (g_once_init_enter(&made)) {
		table = g_new0(int, 4);
		table[2] = 7;
		g_once_init_leave(&made, 1);
	}
	return table;
#endif
}

static gpointer worker(gpointer unused)
{
	return get_table()[2] == 7 ? unused : NULL;
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
