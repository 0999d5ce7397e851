// A thread that is cancelled where no cancellation point is seen, inside stdio: its cleanup is behind what was done
// before it was cancelled. What it does while it forbids that is not.
// build: -pthread
// plain: lib/turn.c
// stdout: 5 1
// predict: race loose@FORBIDS loose@CANCELLER
#include <pthread.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static FILE *nowhere;
static int cleaned, loose;

static void clean(void *unused)
{
	(void)unused;
	cleaned++;
}

static void *write_on(void *unused)
{
	int old;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	turn_done();
	turn_wait(2);
	loose = 1; // FORBIDS
	pthread_cleanup_push(clean, NULL);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
	for (;;) {
		fputs("on\n", nowhere);
		fflush(nowhere);
	}
	pthread_cleanup_pop(0);
	return unused;
}

int main(void)
{
	pthread_t thread;

	nowhere = fopen("/dev/null", "w");
	pthread_create(&thread, NULL, write_on, NULL);
	turn_wait(1);
	cleaned = 4;
	loose = 2; // CANCELLER
	pthread_cancel(thread);
	turn_done();
	pthread_join(thread, NULL);
	printf("%d %d\n", cleaned, loose);
	return 0;
}
