// Havelund 2000, the end of section 3.2: three threads take <L1,L2>, <L2,L3> and <L3,L1>. No two of
// them can block each other; all three can.
// build: -pthread
// plain: lib/turn.c
// stdout: 3
// warns: lock-order L2@FIRST L3@SECOND L1@THIRD
// predict: deadlock L2@FIRST L3@SECOND L1@THIRD
// explore: deadlock SECOND
#include <pthread.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static pthread_mutex_t L1 = PTHREAD_MUTEX_INITIALIZER, L2 = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t L3 = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int done;

static void *first(void *unused)
{
	pthread_mutex_lock(&L1);
	pthread_mutex_lock(&L2); // FIRST
	done++;
	pthread_mutex_unlock(&L2);
	pthread_mutex_unlock(&L1);
	turn_done();
	return unused;
}

static void *second(void *unused)
{
	turn_wait(1);
	pthread_mutex_lock(&L2);
	pthread_mutex_lock(&L3); // SECOND
	done++;
	pthread_mutex_unlock(&L3);
	pthread_mutex_unlock(&L2);
	turn_done();
	return unused;
}

static void *third(void *unused)
{
	turn_wait(2);
	pthread_mutex_lock(&L3);
	pthread_mutex_lock(&L1); // THIRD
	done++;
	pthread_mutex_unlock(&L1);
	pthread_mutex_unlock(&L3);
	return unused;
}

int main(void)
{
	void *(*const run[])(void *) = { first, second, third };
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, run[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", done);
	return 0;
}
