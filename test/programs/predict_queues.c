// What a thread did before it sent a message or let go of a semaphore of the kernel's is before what the one does that got it: each such call has a
// record before it that says so.
// build: -pthread
// stdout: 1 9 2
// count: 4 ^T1\|send\(
// predict: silent
// serial: no, a schedule tells the order, and nothing is handed over
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <unistd.h>

struct message {
	long type;
	int *what;
};

static mqd_t queue;
static int messages, semaphores, shared, seen[2];

static void change(int by)
{
	struct sembuf operation = { 0, (short)by, 0 };

	semop(semaphores, &operation, 1);
}

static int *make(int value)
{
	int *what = malloc(sizeof *what);

	*what = value;
	return what;
}

static void *sender(void *unused)
{
	int *what = make(1);
	struct message message = { 1, make(9) };

	mq_send(queue, (char *)&what, sizeof what, 0);
	msgsnd(messages, &message, sizeof message.what, 0);
	change(-1);
	shared++;
	change(1);
	return unused;
}

static void *receiver(void *unused)
{
	int *what;
	struct message message;

	mq_receive(queue, (char *)&what, sizeof what, NULL);
	seen[0] = *what;
	free(what);
	msgrcv(messages, &message, sizeof message.what, 1, 0);
	seen[1] = *message.what;
	free(message.what);
	change(-1);
	shared++;
	change(1);
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	char name[32];
	struct mq_attr one = { .mq_maxmsg = 1, .mq_msgsize = sizeof(int *) };

	snprintf(name, sizeof name, "/sooth-test-%d", (int)getpid());
	queue = mq_open(name, O_CREAT | O_RDWR, 0600, &one);
	mq_unlink(name);
	messages = msgget(IPC_PRIVATE, 0600);
	semaphores = semget(IPC_PRIVATE, 1, 0600);
	semctl(semaphores, 0, SETVAL, 1);
	pthread_create(&threads[0], NULL, sender, NULL);
	pthread_create(&threads[1], NULL, receiver, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	msgctl(messages, IPC_RMID, NULL);
	semctl(semaphores, 0, IPC_RMID);
	mq_close(queue);
	printf("%d %d %d\n", seen[0], seen[1], shared);
	return 0;
}
