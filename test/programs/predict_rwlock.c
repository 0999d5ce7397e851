// Read-write locks: reading under the read side and writing under the write side is silent;
// writing under the read side is not.
// build: -pthread
// plain: lib/turn.c
// stdout: 2 2
// predict: race loose@FIRST loose@SECOND
#include <pthread.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int guarded, loose, sum;

static void *first(void *unused)
{
	pthread_rwlock_wrlock(&lock);
	guarded = 2;
	pthread_rwlock_unlock(&lock);
	pthread_rwlock_rdlock(&lock);
	sum = guarded;
	loose = 1; // FIRST
	pthread_rwlock_unlock(&lock);
	turn_done();
	return unused;
}

static void *second(void *unused)
{
	int seen;

	turn_wait(1);
	pthread_rwlock_rdlock(&lock);
	seen = guarded;
	loose = seen; // SECOND
	pthread_rwlock_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d\n", loose, sum);
	return 0;
}
