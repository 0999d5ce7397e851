// A list is walked without the lock while a node is taken out and freed.
// explore: use-after-free WALKS|NEXT
// build: -pthread
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include "work.h"

struct node {
	struct node *_Atomic next;
	int value;
};

static struct node *_Atomic first;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void push(int value)
{
	struct node *node = malloc(sizeof(*node));

	node->next = first;
	node->value = value;
	first = node;
}

static void *walk(void *unused)
{
	int sum = 0;

#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	for (struct node *node = first; node; node = node->next) // NEXT
		sum += node->value;				 // WALKS
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	total = sum;
	return unused;
}

static void *remove_first(void *unused)
{
	struct node *node;

	pthread_mutex_lock(&lock);
	node = first;
	first = node->next;
	free(node);
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t walker, remover;

	push(1);
	push(2);
	pthread_create(&walker, NULL, walk, NULL);
	work(10);
	pthread_create(&remover, NULL, remove_first, NULL);
	pthread_join(walker, NULL);
	pthread_join(remover, NULL);
	return total < 1;
}
