// FLAGS: $(pkg-config --cflags glib-2.0) LIBS: $(pkg-config --libs glib-2.0)

// A recursive lock: a function that takes it calls another one that takes it again.
#include <glib.h>

static GRecMutex lock;
static int balance, changes;

static void change(int by)
{
#ifndef BUG
	g_rec_mutex_lock(&lock);
#endif
	balance += by;
#ifndef BUG
	g_rec_mutex_unlock(&lock);
#endif
}

static gpointer worker(gpointer unused)
{
	change(1);
	g_rec_mutex_lock(&lock);
	changes++;
	change(-1);
	g_rec_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	GThread *threads[2];

	for (int i = 0; i < 2; i++)
		threads[i] = g_thread_new("worker", worker, NULL);
	for (int i = 0; i < 2; i++)
		g_thread_join(threads[i]);
	return balance != 0 && changes == 2;
}
