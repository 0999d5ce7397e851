// The last of those who count themselves out frees the block: nothing to find. One who looks at it
// once more behind that is found.
// build: -pthread
// plain: lib/turn.c
// stdout: 7 7
// predict: use-after-free block~of~8~bytes@FREE item->x@LATE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

void turn_wait(int number);
void turn_done(void);

struct item {
	atomic_int count;
	int x;
};

static struct item *good, *bad;
static int seen[2];

static void drop(struct item *item)
{
	if (atomic_fetch_sub(&item->count, 1) == 1)
		free(item); // FREE
}

static void *first(void *unused)
{
	struct item *item = bad;

	seen[0] = good->x;
	drop(good);
	drop(item);
	seen[1] = item->x; // LATE
	turn_done();
	return unused;
}

static void *second(void *unused)
{
	turn_wait(1);
	drop(good);
	drop(bad);
	return unused;
}

static struct item *make(void)
{
	struct item *item = malloc(sizeof *item);

	atomic_init(&item->count, 2);
	item->x = 7;
	return item;
}

int main(void)
{
	pthread_t threads[2];

	good = make();
	bad = make();
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d\n", seen[0], seen[1]);
	return 0;
}
