// What a once prepares is there for all. But its routine takes a lock, and one caller has it.
// build: -pthread
// plain: lib/turn.c
// stdout: 5 5
// predict: deadlock lock@PREPARE once@CALL
#include <pthread.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int prepared, copies[2];

static void prepare(void)
{
	pthread_mutex_lock(&lock); // PREPARE
	prepared = 5;
	pthread_mutex_unlock(&lock);
}

static void *first(void *unused)
{
	pthread_once(&once, prepare);
	copies[0] = prepared;
	turn_done();
	return unused;
}

static void *second(void *unused)
{
	turn_wait(1);
	pthread_mutex_lock(&lock);
	pthread_once(&once, prepare); // CALL
	copies[1] = prepared;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d\n", copies[0], copies[1]);
	return 0;
}
