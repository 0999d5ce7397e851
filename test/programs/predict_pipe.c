// What was written before a token went into a pipe is there for who takes it out; what is written
// later races.
// build: -pthread
// plain: lib/turn.c
// stdout: 2 1
// text: ^T2\|receive\(.*predict_pipe
// notext: ^T2\|sync
// predict: race loose@SENDER loose@RECEIVER
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

void turn_wait(int number);
void turn_done(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int pipe_ends[2], handed, loose, other;

static void *sender(void *unused)
{
	handed = 1;
	if (write(pipe_ends[1], "", 1) != 1)
		return NULL;
	turn_wait(1);
	pthread_mutex_lock(&lock);
	other++;
	pthread_mutex_unlock(&lock);
	loose = 1; // SENDER
	turn_done();
	return unused;
}

static void *receiver(void *unused)
{
	char token;

	if (read(pipe_ends[0], &token, 1) == 1)
		handed++;
	turn_done();
	turn_wait(2);
	pthread_mutex_lock(&lock);
	other++;
	pthread_mutex_unlock(&lock);
	loose = 1; // RECEIVER
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	if (pipe(pipe_ends) != 0)
		return 1;
	pthread_create(&threads[0], NULL, sender, NULL);
	pthread_create(&threads[1], NULL, receiver, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d\n", handed, loose);
	return 0;
}
