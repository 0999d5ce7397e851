// A lock of one's own: an atomic flag, spun on without a yield.
// explore: complete
// build: -pthread
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag taken = ATOMIC_FLAG_INIT;
static int count;

static void *add(void *unused)
{
	while (atomic_flag_test_and_set(&taken))
		;
	count++;
	atomic_flag_clear(&taken);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(count == 2);
	return 0;
}
