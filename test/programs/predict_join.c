// What is read behind the join is silent, what is read before it is not. And who joins with a lock
// in hand that the other needs can wait for ever.
// build: -pthread
// plain: lib/turn.c
// stdout: 1 2
// predict: race loose@WRITE loose@READ
// predict: deadlock lock@LOCK T1@JOIN
#include <pthread.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int guarded, loose;

static void *write_both(void *unused)
{
	guarded = 1;
	loose = 2;		   // WRITE
	pthread_mutex_lock(&lock); // LOCK
	pthread_mutex_unlock(&lock);
	turn_done();
	return unused;
}

int main(void)
{
	pthread_t thread;
	int seen;

	pthread_create(&thread, NULL, write_both, NULL);
	turn_wait(1);
	seen = loose; // READ
	pthread_mutex_lock(&lock);
	pthread_join(thread, NULL); // JOIN
	pthread_mutex_unlock(&lock);
	printf("%d %d\n", guarded, seen);
	return 0;
}
