// A thread hands out the address of a local variable and may end before it is used.
// build: -pthread
// plain: lib/turn.c
// stdout: 7
// predict: use-after-free T1@NOWHERE *pointer@USE
#include <pthread.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *pointer, seen;

static void *owner(void *unused)
{
	int local = 7;

	pthread_mutex_lock(&lock);
	pointer = &local;
	pthread_mutex_unlock(&lock);
	turn_done();
	turn_wait(2);
	return unused;
}

static void *user(void *unused)
{
	pthread_mutex_lock(&lock);
	seen = *pointer; // USE
	pthread_mutex_unlock(&lock);
	turn_done();
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, owner, NULL);
	turn_wait(1);
	pthread_create(&threads[1], NULL, user, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", seen);
	return 0;
}
