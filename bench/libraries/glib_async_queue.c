// FLAGS: $(pkg-config --cflags glib-2.0) LIBS: $(pkg-config --libs glib-2.0)

// Items travel through a GAsyncQueue. The producer writes an item before it pushes it.
#include <glib.h>

struct item {
	int value;
};

static gpointer consumer(gpointer queue)
{
	for (int i = 0; i < 3; i++) {
		struct item *item = g_async_queue_pop(queue);

		item->value++;
		g_free(item);
	}
	return NULL;
}

int main(void)
{
	GAsyncQueue *queue = g_async_queue_new();
	GThread *thread = g_thread_new("consumer", consumer, queue);

	for (int i = 0; i < 3; i++) {
		struct item *item = g_malloc(sizeof *item);

		item->value = i;
		g_async_queue_push(queue, item);
#ifdef BUG
		item->value = -1; // it belongs to the consumer now
#endif
	}
	g_thread_join(thread);
	g_async_queue_unref(queue);
	return 0;
}
