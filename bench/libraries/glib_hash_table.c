// FLAGS: $(pkg-config --cflags glib-2.0) LIBS: $(pkg-config --libs glib-2.0)

// A GHashTable, which is not recorded, hands blocks over under the program's own mutex.
#include <glib.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GHashTable *table;

static void *put(void *unused)
{
	int *value = g_new(int, 1);

	*value = 5;
	pthread_mutex_lock(&lock);
	g_hash_table_insert(table, GINT_TO_POINTER(1), value);
	pthread_mutex_unlock(&lock);
#ifdef BUG
	*value = 6;
#endif
	return unused;
}

static void *get(void *unused)
{
	for (int i = 0; i < 3; i++) {
		int *value;

		pthread_mutex_lock(&lock);
		value = g_hash_table_lookup(table, GINT_TO_POINTER(1));
		pthread_mutex_unlock(&lock);
		if (value)
			(void)*(volatile int *)value;
	}
	return unused;
}

int main(void)
{
	pthread_t a, b;

	table = g_hash_table_new(g_direct_hash, g_direct_equal);
	pthread_create(&a, NULL, put, NULL);
	pthread_create(&b, NULL, get, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
