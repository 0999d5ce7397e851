// Who learns that a child has ended comes after what was done before somebody ended it. A child that shares our
// memory (vfork) is its parent's thread meanwhile.
// build: -pthread
// plain: lib/turn.c
// stdout: 5 1 2
// predict: race loose@CHILD loose@OTHER
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

void turn_wait(int number);
void turn_done(void);

extern char **environ;
static pid_t child;
static int told, seen, loose;

static void *watch(void *unused)
{
	int status;

	waitpid(child, &status, 0);
	seen = told;
	return unused;
}

static void *end(void *unused)
{
	told = 5;
	kill(child, SIGKILL);
	return unused;
}

static void *parent(void *ended)
{
	int status;
	pid_t pid = vfork();

	if (pid == 0) {
		loose = 1; // CHILD
		_exit(1);
	}
	waitpid(pid, &status, 0);
	*(int *)ended = WEXITSTATUS(status);
	turn_done();
	return ended;
}

static void *other(void *unused)
{
	turn_wait(1);
	loose = 2; // OTHER
	return unused;
}

int main(void)
{
	void *(*routines[])(void *) = { watch, end, parent, other };
	char *arguments[] = { "sleep", "1000", NULL };
	pthread_t threads[4];
	int ended = 0;

	if (posix_spawnp(&child, arguments[0], NULL, NULL, arguments, environ))
		return 1;
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, routines[i], &ended);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d %d\n", seen, ended, loose);
	return 0;
}
