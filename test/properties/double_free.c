// Buffers come from a pool of the program's own, which says so by a probe. Two threads change the
// current one: each gives the old one back.
// property: malloc-free
// violates: DoubleFree free@FREE free@FREE
#include <pthread.h>
#include <sooth/annotate.h>

#define SLOTS 2
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char slots[SLOTS][32];
static int is_taken[SLOTS];
static char *current;

static char *take(void)
{
	int i = 0;

	while (is_taken[i])
		i++;
	is_taken[i] = 1;
	return slots[i];
}

static void give_back(char *slot)
{
	SOOTH_PROBE(app, free, slot); // FREE
	pthread_mutex_lock(&lock);
	is_taken[(slot - slots[0]) / 32] = 0;
	pthread_mutex_unlock(&lock);
}

static void *change(void *unused)
{
	char *old;

	pthread_mutex_lock(&lock);
	old = current;
#ifdef FIXED
	current = NULL;
	pthread_mutex_unlock(&lock);
	if (!old)
		return unused;
#else
	pthread_mutex_unlock(&lock);
#endif
	give_back(old);
	pthread_mutex_lock(&lock);
	current = take();
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	current = take();
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, change, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return !current;
}
