// One thread walks over a table, another puts something in.
// property: glib-iterator
// needs: glib-2.0
// leads: UnsafeIterator create@INIT update@INSERT next_@NEXT
#include <glib.h>
#include <pthread.h>

static GHashTable *table;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *walk(void *unused)
{
	GHashTableIter at;
	gpointer key, value;

#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	for (int round = 0; round < 2; round++) {
		g_hash_table_iter_init(&at, table);		  // INIT
		while (g_hash_table_iter_next(&at, &key, &value)) // NEXT
			;
	}
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	return unused;
}

static void *fill(void *unused)
{
	pthread_mutex_lock(&lock);
	g_hash_table_insert(table, GINT_TO_POINTER(3), GINT_TO_POINTER(9)); // INSERT
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t walker, filler;

	table = g_hash_table_new(g_direct_hash, g_direct_equal);
	g_hash_table_insert(table, GINT_TO_POINTER(1), GINT_TO_POINTER(1));
	g_hash_table_insert(table, GINT_TO_POINTER(2), GINT_TO_POINTER(4));
	pthread_create(&walker, NULL, walk, NULL);
	pthread_create(&filler, NULL, fill, NULL);
	pthread_join(walker, NULL);
	pthread_join(filler, NULL);
	return g_hash_table_size(table) != 3;
}
