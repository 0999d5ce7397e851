// The lock of a file, which a thread may take again, guards what it is made to guard. (That
// lock is the library's too: its order in the recorded run stays.)
// build: -pthread
// plain: lib/turn.c
// stdout: 3 1
// predict: race loose@FIRST loose@SECOND
#include <pthread.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static int guarded, loose;

static void *first(void *unused)
{
	flockfile(stdout);
	flockfile(stdout);
	guarded = 1;
	funlockfile(stdout);
	guarded = 2;
	funlockfile(stdout);
	loose = 1; // FIRST
	turn_done();
	return unused;
}

static void *second(void *unused)
{
	turn_wait(1);
	loose = 1; // SECOND
	if (ftrylockfile(stdout) == 0) {
		guarded = 3;
		funlockfile(stdout);
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
	printf("%d %d\n", guarded, loose);
	return 0;
}
