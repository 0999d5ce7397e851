/*
 * derby 3786: a thread looks up a statement in the cache, which has its own lock, and removes it if
 * it is there. Sometimes another thread removes the statement in between. 2 threads besides main.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define ROUNDS 332
#define CLASH 83 /* after this many rounds both threads use the same statement */
#define CHAINS 32

typedef struct map {
	pthread_mutex_t lock;
	char keys[CHAINS][12];
	int used[CHAINS];
} map_t;
static map_t cache = { .lock = PTHREAD_MUTEX_INITIALIZER };
static pthread_barrier_t round_begins;
static int hits, statistics[2][8];

static unsigned chain_of(const char *key)
{
	unsigned sum = 0;

	for (; *key; key++)
		sum = sum * 31 + (unsigned char)*key;
	return sum % CHAINS;
}

static void map_put(map_t *m, const char *key)
{
	unsigned chain = chain_of(key);

	pthread_mutex_lock(&m->lock);
	strcpy(m->keys[chain], key);
	m->used[chain] = 1;
	pthread_mutex_unlock(&m->lock);
}

static int map_get(map_t *m, const char *key)
{
	unsigned chain = chain_of(key);
	int there;

	pthread_mutex_lock(&m->lock);
	there = m->used[chain] && !strcmp(m->keys[chain], key);
	pthread_mutex_unlock(&m->lock);
	return there;
}

static void map_remove(map_t *m, const char *key)
{
	unsigned chain = chain_of(key);

	pthread_mutex_lock(&m->lock);
	if (m->used[chain] && !strcmp(m->keys[chain], key))
		m->used[chain] = 0;
	pthread_mutex_unlock(&m->lock);
}

static void execute(int who)
{
	for (int i = 0; i < 8; i++)
		statistics[who][i] += i;
}

static void *remove_statements(void *unused)
{
	char key[12];

	for (int i = 0; i < ROUNDS; i++) {
		snprintf(key, sizeof key, "a%d", i);
		map_put(&cache, key);
		pthread_barrier_wait(&round_begins);
		execute(0);
		if (map_get(&cache, key)) {
			map_remove(&cache, key);
			hits++;
		}
		pthread_barrier_wait(&round_begins);
	}
	return unused;
}

static void *evict_statements(void *unused)
{
	char key[12];

	for (int i = 0; i < ROUNDS; i++) {
		snprintf(key, sizeof key, i % CLASH == 7 ? "a%d" : "b%d", i);
		pthread_barrier_wait(&round_begins);
		execute(1);
		map_remove(&cache, key);
		map_get(&cache, key);
		pthread_barrier_wait(&round_begins);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_barrier_init(&round_begins, NULL, 2);
	pthread_create(&threads[0], NULL, evict_statements, NULL);
	pthread_create(&threads[1], NULL, remove_statements, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d hits\n", hits);
	return 0;
}
