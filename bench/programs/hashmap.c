/*
 * A chained hash map with striped locks: short critical sections, pointer chasing, malloc and free.
 *
 *	hashmap [OPERATIONS [THREADS]]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define BUCKETS 4096
#define STRIPES 64
#define KEYS 20000
#define THREADS_MAX 16

struct node {
	struct node *next;
	unsigned key;
	long hits;
};

static struct node *buckets[BUCKETS];
static pthread_mutex_t locks[STRIPES];
static long total[STRIPES]; /* by stripe: sum of the hits of removed nodes */
static int operations = 500000, threads = 2;

static struct node *find_or_add(struct node **bucket, unsigned key)
{
	struct node *node;

	for (node = *bucket; node; node = node->next)
		if (node->key == key)
			return node;
	node = malloc(sizeof(*node));
	node->key = key;
	node->hits = 0;
	node->next = *bucket;
	*bucket = node;
	return node;
}

static void drop(struct node **bucket, struct node *node)
{
	while (*bucket != node)
		bucket = &(*bucket)->next;
	*bucket = node->next;
	free(node);
}

static void *work(void *argument)
{
	unsigned seed = (unsigned)(long)argument * 7919 + 1;

	for (int i = 0; i < operations; i++) {
		seed = seed * 1664525 + 1013904223;
		unsigned key = (seed >> 8) % KEYS, hash = key * 2654435761u >> 20;
		pthread_mutex_lock(&locks[hash % STRIPES]);
		struct node *node = find_or_add(&buckets[hash], key);
		node->hits++;
		if (seed >> 28 == 0) {
			total[hash % STRIPES] += node->hits;
			drop(&buckets[hash], node);
		}
		pthread_mutex_unlock(&locks[hash % STRIPES]);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t ids[THREADS_MAX];
	long sum = 0;

	if (argc > 1)
		operations = atoi(argv[1]);
	if (argc > 2)
		threads = atoi(argv[2]);
	for (int i = 0; i < STRIPES; i++)
		pthread_mutex_init(&locks[i], NULL);
	for (int i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, work, (void *)(long)i);
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	for (int i = 0; i < STRIPES; i++)
		sum += total[i];
	for (int i = 0; i < BUCKETS; i++)
		for (struct node *node = buckets[i]; node; node = node->next)
			sum += node->hits;
	printf("%ld\n", sum);
	return 0;
}
