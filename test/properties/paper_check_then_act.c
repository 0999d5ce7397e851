// GPredict, figure 12 (Derby 3786): a statement is looked up in a map that is locked by itself, and
// then removed; another thread throws it out in between.
// property: papers.prop
// violates: CheckThenAct check@CHECK act@ACT act@ACT
#include <pthread.h>
#include <string.h>

#define MOST 8
typedef struct map {
	pthread_mutex_t lock;
	const char *keys[MOST];
	int count;
} map_t;
static map_t map = { .lock = PTHREAD_MUTEX_INITIALIZER };
static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER;

static int find(map_t *m, const char *key)
{
	for (int i = 0; i < m->count; i++)
		if (!strcmp(m->keys[i], key))
			return i;
	return -1;
}

static int map_get(map_t *m, const char *key)
{
	int at;

	pthread_mutex_lock(&m->lock);
	at = find(m, key);
	pthread_mutex_unlock(&m->lock);
	return at >= 0; // CHECK
}

static void map_remove(map_t *m, const char *key) // ACT
{
	int at;

	pthread_mutex_lock(&m->lock);
	at = find(m, key);
	if (at >= 0)
		m->keys[at] = m->keys[--m->count];
	pthread_mutex_unlock(&m->lock);
}

static void lock_all(void)
{
#ifdef FIXED
	pthread_mutex_lock(&outer);
#endif
}

static void unlock_all(void)
{
#ifdef FIXED
	pthread_mutex_unlock(&outer);
#endif
}

static void *remove_statement(void *unused)
{
	lock_all();
	if (map_get(&map, "select 1"))
		map_remove(&map, "select 1");
	unlock_all();
	return unused;
}

static void *evict(void *unused)
{
	lock_all();
	map_remove(&map, "select 1");
	map_remove(&map, "select 2");
	unlock_all();
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	map.keys[0] = "select 1";
	map.keys[1] = "select 2";
	map.count = 2;
	pthread_create(&threads[0], NULL, remove_statement, NULL);
	pthread_create(&threads[1], NULL, evict, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	pthread_mutex_destroy(&outer);
	return map.count;
}
