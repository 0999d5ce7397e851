// A semaphore that another process posts, too: its count does not add up here, and says nothing of what came first.
// build: -pthread
// plain: lib/turn.c
// stdout: 1 2
// traces: 2
// predict: race loose@POSTER loose@WAITER
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

void turn_wait(int number);
void turn_done(void);

static sem_t *sem;
static int data, loose;

static void *post(void *unused)
{
	data = 1;
	sem_post(sem);
	turn_wait(1);
	loose = 1; // POSTER
	turn_done();
	return unused;
}

int main(void)
{
	char name[32];
	pthread_t thread;
	int seen;

	snprintf(name, sizeof(name), "/sooth.%d", (int)getpid());
	sem = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
	if (sem == SEM_FAILED)
		return 1;
	sem_unlink(name);
	pthread_create(&thread, NULL, post, NULL);
	sem_wait(sem);
	seen = data;
	turn_done();
	turn_wait(2);
	loose = 2; // WAITER
	pthread_join(thread, NULL);
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		sem_post(sem);
		_exit(0);
	}
	sem_wait(sem);
	waitpid(child, NULL, 0);
	printf("%d %d\n", seen, loose);
	return 0;
}
