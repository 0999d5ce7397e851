// Havelund 2000, figure 7: of three conflicts in these locks two are guarded by a gate lock (L1 on the
// left, L4 on the right), so exactly one is left: L3 and L4.
// build: -pthread
// plain: lib/turn.c
// stdout: 4
// warns: lock-order L4@FIRST L3@SECOND
// predict: deadlock L4@FIRST L3@SECOND
// explore: deadlock FIRST
#include <pthread.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static pthread_mutex_t L1 = PTHREAD_MUTEX_INITIALIZER, L2 = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t L3 = PTHREAD_MUTEX_INITIALIZER, L4 = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int rounds;

static void *first(void *unused)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&L1);
		pthread_mutex_lock(&L3);
		pthread_mutex_lock(&L2);
		pthread_mutex_unlock(&L2);
		pthread_mutex_lock(&L4); // FIRST
		pthread_mutex_unlock(&L4);
		pthread_mutex_unlock(&L3);
		pthread_mutex_unlock(&L1);

		pthread_mutex_lock(&L4);
		pthread_mutex_lock(&L2);
		pthread_mutex_lock(&L3);
		pthread_mutex_unlock(&L3);
		pthread_mutex_unlock(&L2);
		pthread_mutex_unlock(&L4);
		rounds++;
	}
	turn_done();
	return unused;
}

static void *second(void *unused)
{
	turn_wait(1);
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&L1);
		pthread_mutex_lock(&L2);
		pthread_mutex_lock(&L3);
		pthread_mutex_unlock(&L3);
		pthread_mutex_unlock(&L2);
		pthread_mutex_unlock(&L1);

		pthread_mutex_lock(&L4);
		pthread_mutex_lock(&L3); // SECOND
		pthread_mutex_lock(&L2);
		pthread_mutex_unlock(&L2);
		pthread_mutex_unlock(&L3);
		pthread_mutex_unlock(&L4);
		rounds++;
	}
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", rounds);
	return 0;
}
