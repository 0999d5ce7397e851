/* A resource is used by one thread and authenticated by another. Fixed: it is handed over. */
#include <pthread.h>
#include <stdlib.h>

struct resource {
	int ready, used;
};

__attribute__((noinline)) static int authenticate(struct resource *r)
{
	r->ready = 1;
	return 1;
}

__attribute__((noinline)) static void use(struct resource *r)
{
	r->used++;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t handed = PTHREAD_COND_INITIALIZER;
static int done;

static void *guard(void *r)
{
	authenticate(r);
	pthread_mutex_lock(&lock);
	done = 1;
	pthread_cond_signal(&handed);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *client(void *r)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
	while (!done)
		pthread_cond_wait(&handed, &lock);
	pthread_mutex_unlock(&lock);
#endif
	use(r); // USE
	return NULL;
}

int main(void)
{
	struct resource *r[2] = { calloc(1, sizeof **r), calloc(1, sizeof **r) };
	pthread_t t[2];

	/* The second is used as it should be. */
	authenticate(r[1]);
	use(r[1]);
	pthread_create(&t[0], NULL, guard, r[0]);
	pthread_create(&t[1], NULL, client, r[0]);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	free(r[0]);
	free(r[1]);
	return 0;
}
