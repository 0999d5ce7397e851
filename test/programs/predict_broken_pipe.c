// Who is told that nobody reads any more has waited for whoever closed the other end.
// build: -pthread
// plain: lib/turn.c
// stdout: 1
// predict: silent
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

void turn_wait(int number);
void turn_done(void);

static int ends[2], ready;

static void *reader(void *unused)
{
	ready = 1;
	close(ends[0]);
	turn_done();
	return unused;
}

int main(void)
{
	pthread_t thread;
	int seen = 0;

	signal(SIGPIPE, SIG_IGN);
	if (pipe(ends))
		return 1;
	pthread_create(&thread, NULL, reader, NULL);
	turn_wait(1);
	if (write(ends[1], "x", 1) < 0 && errno == EPIPE)
		seen = ready;
	pthread_join(thread, NULL);
	printf("%d\n", seen);
	return 0;
}
