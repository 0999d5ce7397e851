/*
 * jfreechart: listeners of a series are notified of a change while others are added. The table is
 * locked for each call, but not for the whole iteration. 20 threads besides main.
 */
#include <glib.h>
#include <pthread.h>
#include <stdio.h>

#define PAIRS 10
#define FIRST 5

static GHashTable *listeners;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int told;

static void add_change_listener(long which)
{
	pthread_mutex_lock(&lock);
	g_hash_table_insert(listeners, GINT_TO_POINTER(which), GINT_TO_POINTER(which));
	pthread_mutex_unlock(&lock);
}

static void fire_series_changed(void)
{
	GHashTableIter at;
	gpointer key, listener;
	int more = 1;

	pthread_mutex_lock(&lock);
	g_hash_table_iter_init(&at, listeners);
	pthread_mutex_unlock(&lock);
	while (more) {
		pthread_mutex_lock(&lock);
		more = g_hash_table_iter_next(&at, &key, &listener);
		told += more;
		pthread_mutex_unlock(&lock);
	}
}

static void *add(void *which)
{
	add_change_listener((long)which);
	return NULL;
}

static void *fire(void *unused)
{
	fire_series_changed();
	return unused;
}

int main(void)
{
	pthread_t threads[2 * PAIRS];

	listeners = g_hash_table_new(g_direct_hash, g_direct_equal);
	for (long i = 0; i < FIRST; i++)
		add_change_listener(100 + i);
	for (long i = 0; i < PAIRS; i++) {
		pthread_create(&threads[2 * i], NULL, fire, NULL);
		pthread_create(&threads[2 * i + 1], NULL, add, (void *)(i + 1));
	}
	for (int i = 0; i < 2 * PAIRS; i++)
		pthread_join(threads[i], NULL);
	printf("%d told\n", told);
	return g_hash_table_size(listeners) != FIRST + PAIRS;
}
