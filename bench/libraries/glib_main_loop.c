// FLAGS: $(pkg-config --cflags glib-2.0) LIBS: $(pkg-config --libs glib-2.0)

// Another thread adds idle callbacks to a main loop; the loop runs them in its own thread.
#include <glib.h>

static GMainLoop *loop;
static int calls;

static gboolean call(gpointer last)
{
	calls++;
	if (last)
		g_main_loop_quit(loop);
	return G_SOURCE_REMOVE;
}

static gpointer sender(gpointer unused)
{
	g_idle_add(call, NULL);
	g_idle_add(call, GINT_TO_POINTER(1));
#ifdef BUG
	calls++;
#endif
	return unused;
}

int main(void)
{
	GThread *thread;

	loop = g_main_loop_new(NULL, FALSE);
	thread = g_thread_new("sender", sender, NULL);
	g_main_loop_run(loop);
	g_thread_join(thread);
	g_main_loop_unref(loop);
	return calls < 1;
}
