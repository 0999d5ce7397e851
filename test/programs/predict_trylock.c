// A try that succeeds guards as a lock does; who goes on when it fails does not have the lock.
// build: -pthread
// plain: lib/turn.c
// stdout: 2 2
// predict: race loose@OWNER loose@FAILED
#include <pthread.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int guarded, loose;

static void *owner(void *unused)
{
	pthread_mutex_lock(&lock);
	guarded = 1;
	loose = 1; // OWNER
	turn_done();
	turn_wait(2);
	pthread_mutex_unlock(&lock);
	turn_done();
	return unused;
}

static void *trier(void *unused)
{
	turn_wait(1);
	if (pthread_mutex_trylock(&lock))
		loose = 2; // FAILED
	turn_done();
	turn_wait(3);
	if (!pthread_mutex_trylock(&lock)) {
		guarded = 2;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, owner, NULL);
	pthread_create(&threads[1], NULL, trier, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d\n", guarded, loose);
	return 0;
}
