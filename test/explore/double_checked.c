// Double-checked locking: the pointer is there before what it points to is filled in.
// explore: assertion FAILS
// build: -pthread
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "work.h"

struct settings {
	int width, height;
};

static struct settings only;
static struct settings *_Atomic settings;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct settings *get(void)
{
	if (settings)
		return settings;
	pthread_mutex_lock(&lock);
	if (!settings) {
#ifdef FIXED
		only = (struct settings){ 80, 25 };
		settings = &only;
#else
		settings = &only;
		only.width = 80;
		only.height = 25;
#endif
	}
	pthread_mutex_unlock(&lock);
	return settings;
}

static void *use(void *unused)
{
	const struct settings *mine = get();

	assert(mine->width * mine->height == 2000); // FAILS
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++) {
		pthread_create(&threads[i], NULL, use, NULL);
		work(10);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
