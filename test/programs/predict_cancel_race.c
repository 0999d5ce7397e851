// Cancelling a thread orders its cleanup behind the cancellation, and before whoever joins it; but not before
// what the one that cancels does next.
// build: -pthread
// plain: lib/turn.c
// stdout: 2 2
// predict: race loose@CLEANUP loose@CANCELLER
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

void turn_wait(int number);
void turn_done(void);

static sem_t there;
static int kept, loose;

static void clean(void *unused)
{
	(void)unused;
	kept++;
	loose = 1; // CLEANUP
	turn_done();
}

static void *sleeper(void *unused)
{
	pthread_cleanup_push(clean, NULL);
	sem_post(&there);
	for (;;)
		pause();
	pthread_cleanup_pop(0);
	return unused;
}

int main(void)
{
	pthread_t thread;

	sem_init(&there, 0, 0);
	pthread_create(&thread, NULL, sleeper, NULL);
	sem_wait(&there);
	kept = 1;
	pthread_cancel(thread);
	turn_wait(1);
	loose = 2; // CANCELLER
	pthread_join(thread, NULL);
	printf("%d %d\n", kept, loose);
	return 0;
}
