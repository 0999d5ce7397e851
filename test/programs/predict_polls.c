// A thread that looks again and again at the state of an object, until another thread has changed it, comes after what
// that thread did before; not after what it did later.
// build: -pthread -lrt
// plain: lib/turn.c
// stdout: 1 2 3 4 5 6 2
// predict: race loose@CHANGES loose@LOOKS
#define _GNU_SOURCE
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <unistd.h>

void turn_wait(int number);
void turn_done(void);

enum { ALL = 6 };
static int data[ALL], seen[ALL], loose, locked[2], set, sockets[2];
static sem_t semaphore;
static mqd_t queue;

static bool lock_byte(int fd, int how)
{
	struct flock lock = { .l_type = (short)how, .l_whence = SEEK_SET, .l_len = 1 };

	return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

static bool is_changed(int which)
{
	struct mq_attr attributes = { .mq_curmsgs = 0 };
	sigset_t pending;
	int value = 0;

	switch (which) {
	case 0: return sem_getvalue(&semaphore, &value) == 0 && value;
	case 1: return sigpending(&pending) == 0 && sigismember(&pending, SIGUSR1);
	case 2: return mq_getattr(queue, &attributes) == 0 && attributes.mq_curmsgs;
	case 3: return lock_byte(locked[1], F_WRLCK);
	case 4: return semctl(set, 0, GETVAL) == 1;
	case 5: return ioctl(sockets[0], TIOCOUTQ, &value) == 0 && !value;
	}
	return false;
}

static void change(int which)
{
	char byte;

	switch (which) {
	case 0: sem_post(&semaphore); break;
	case 1: kill(getpid(), SIGUSR1); break;
	case 2: mq_send(queue, "x", 1, 0); break;
	case 3: lock_byte(locked[0], F_UNLCK); break;
	case 4: semctl(set, 0, SETVAL, 1); break;
	case 5: recv(sockets[1], &byte, 1, 0); break;
	}
}

static void *look(void *unused)
{
	for (int i = 0; i < ALL; i++) {
		while (!is_changed(i))
			sched_yield();
		seen[i] = data[i];
	}
	loose++; // LOOKS
	turn_done();
	return unused;
}

static void open_all(void)
{
	struct mq_attr one = { .mq_maxmsg = 1, .mq_msgsize = 1 };
	char name[32], file[] = "locked-XXXXXX", path[64];
	sigset_t signals;

	sem_init(&semaphore, 0, 0);
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	snprintf(name, sizeof name, "/sooth-polls-%d", (int)getpid());
	queue = mq_open(name, O_CREAT | O_RDWR, 0600, &one);
	mq_unlink(name);
	locked[0] = mkstemp(file);
	snprintf(path, sizeof path, "./%s", file);
	locked[1] = open(path, O_RDWR);
	unlink(path);
	lock_byte(locked[0], F_WRLCK);
	set = semget(IPC_PRIVATE, 1, 0600);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0 || send(sockets[0], "x", 1, 0) != 1)
		exit(1);
}

int main(void)
{
	pthread_t thread;

	open_all();
	pthread_create(&thread, NULL, look, NULL);
	for (int i = 0; i < ALL; i++) {
		data[i] = i + 1;
		change(i);
	}
	turn_wait(1);
	loose++; // CHANGES
	pthread_join(thread, NULL);
	semctl(set, 0, IPC_RMID);
	for (int i = 0; i < ALL; i++)
		printf("%d ", seen[i]);
	printf("%d\n", loose);
	return 0;
}
