// FLAGS: $(pkg-config --cflags glib-2.0) LIBS: $(pkg-config --libs glib-2.0)

// A GCond announces that data is ready.
#include <glib.h>

static GMutex lock;
static GCond ready;
static gboolean is_ready;
static int data;

static gpointer producer(gpointer unused)
{
#ifdef BUG
	g_mutex_lock(&lock);
	is_ready = TRUE;
	g_cond_signal(&ready);
	g_mutex_unlock(&lock);
	data = 42;
#else
	data = 42;
	g_mutex_lock(&lock);
	is_ready = TRUE;
	g_cond_signal(&ready);
	g_mutex_unlock(&lock);
#endif
	return unused;
}

int main(void)
{
	GThread *thread = g_thread_new("producer", producer, NULL);
	int seen;

	g_mutex_lock(&lock);
	while (!is_ready)
		g_cond_wait(&ready, &lock);
	g_mutex_unlock(&lock);
	seen = data;
	g_thread_join(thread);
	return seen < 0;
}
