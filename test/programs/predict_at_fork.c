// What a thread registers for forks is run by the one that forks, behind what was done before it was registered,
// and not behind what that thread does afterwards.
// build: -pthread
// plain: lib/turn.c
// stdout: 4 1
// traces: 2
// predict: race loose@REGISTERED loose@RUNS
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

void turn_wait(int number);
void turn_done(void);

static int data, loose;

static void prepare(void)
{
	data++;
	loose = 1; // RUNS
}

static void *run(void *unused)
{
	data = 3;
	pthread_atfork(prepare, NULL, NULL);
	loose = 2; // REGISTERED
	turn_done();
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	turn_wait(1);
	pid_t child = fork();
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	pthread_join(thread, NULL);
	printf("%d %d\n", data, loose);
	return 0;
}
