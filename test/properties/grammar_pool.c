// A pool of two that nobody guards: in the recorded run one puts back what it has before the next one takes.
// property: grammars.prop
// violates: AtMostTwo get@GET
#include <pthread.h>
#include <semaphore.h>

struct pool {
	sem_t left;
};
static struct pool pool;

static __attribute__((noipa)) void pool_get(struct pool *p) // GET
{
	(void)p;
}

static __attribute__((noipa)) void pool_put(struct pool *p)
{
	(void)p;
}

static void *work(void *unused)
{
#ifdef FIXED
	sem_wait(&pool.left);
#endif
	pool_get(&pool);
	pool_put(&pool);
#ifdef FIXED
	sem_post(&pool.left);
#endif
	return unused;
}

int main(void)
{
	pthread_t threads[3];

	sem_init(&pool.left, 0, 2);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
