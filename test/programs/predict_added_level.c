// A function that asks for a level of optimisation of its own: it reads one of two fields, and not the other one either.
// build: -pthread
// predict: silent
#include <pthread.h>
#include <stdlib.h>

struct pair {
	int left, right;
} pair;
struct pair *volatile to = &pair;
static volatile int no;

__attribute__((noinline, optimize("O3"))) static int beside(struct pair *p, int which)
{
	return which ? p->left : p->right;
}

static void *reader(void *unused)
{
	if (beside(to, no))
		abort();
	return unused;
}

static void *writer(void *unused)
{
	to->left = 1;
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, writer, NULL);
	pthread_create(&threads[1], NULL, reader, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
