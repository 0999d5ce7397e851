// A barrier between writing and reading is silent; writing behind it is not.
// build: -pthread
// plain: lib/turn.c
// stdout: 1 2
// predict: race loose@WRITE loose@READ
#include <pthread.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static pthread_barrier_t meeting;
static int guarded, loose;

static void *write_both(void *unused)
{
	guarded = 1;
	pthread_barrier_wait(&meeting);
	loose = 2; // WRITE
	turn_done();
	return unused;
}

int main(void)
{
	pthread_t thread;
	int seen;

	pthread_barrier_init(&meeting, NULL, 2);
	pthread_create(&thread, NULL, write_both, NULL);
	pthread_barrier_wait(&meeting);
	turn_wait(1);
	seen = loose; // READ
	printf("%d %d\n", guarded, seen);
	pthread_join(thread, NULL);
	pthread_barrier_destroy(&meeting);
	return 0;
}
