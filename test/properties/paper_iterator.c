// GPredict, figure 2: T1 puts A in, starts T2 and iterates; T2 puts B in and iterates itself.
// property: papers.prop
// needs: glib-2.0
// leads: UnsafeIterator create@CREATE update@UPDATE next_@NEXT
#include <glib.h>
#include <pthread.h>

static GHashTable *items;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *second(void *unused)
{
	GHashTableIter i2;
	gpointer key, value;

	pthread_mutex_lock(&lock);
	g_hash_table_insert(items, "B", "b"); // UPDATE
	g_hash_table_iter_init(&i2, items);
	g_hash_table_iter_next(&i2, &key, &value);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *first(void *unused)
{
	pthread_t thread;
	GHashTableIter i1;
	gpointer key, value;

	g_hash_table_insert(items, "A", "a");
	pthread_create(&thread, NULL, second, NULL);
	pthread_mutex_lock(&lock);
	g_hash_table_iter_init(&i1, items); // CREATE
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	g_hash_table_iter_next(&i1, &key, &value); // NEXT
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	return unused;
}

int main(void)
{
	items = g_hash_table_new(g_str_hash, g_str_equal);
	first(NULL);
	return g_hash_table_size(items) != 2;
}
