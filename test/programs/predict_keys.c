// A destructor of thread-specific data runs in its thread, before the thread is joined: what it does is ordered by
// the join and by the locks it takes, and by nothing else.
// build: -pthread
// plain: lib/turn.c
// stdout: 1 2 2
// predict: race loose@DESTRUCTOR loose@OTHER
#include <pthread.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static pthread_key_t key;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int joined, guarded, loose;

static void destroy(void *unused)
{
	(void)unused;
	joined = 1;
	loose = 1; // DESTRUCTOR
	pthread_mutex_lock(&lock);
	guarded = 1;
	pthread_mutex_unlock(&lock);
	turn_done();
}

static void *leave(void *something)
{
	pthread_setspecific(key, something);
	return NULL;
}

static void *other(void *unused)
{
	turn_wait(1);
	pthread_mutex_lock(&lock);
	guarded = 2;
	pthread_mutex_unlock(&lock);
	loose = 2; // OTHER
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_key_create(&key, destroy);
	pthread_create(&threads[0], NULL, leave, &key);
	pthread_create(&threads[1], NULL, other, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d %d\n", joined, guarded, loose);
	return 0;
}
