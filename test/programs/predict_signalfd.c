// A signal that is read from a descriptor was sent before: what was written then is there. What is written
// behind the sending is not ordered by it.
// build: -pthread
// plain: lib/turn.c
// stdout: 2 1
// text: ^T1\|sync\|.*predict_signalfd
// predict: race loose@SENDER loose@READER
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

void turn_wait(int number);
void turn_done(void);

static int fd, sent, loose;

static void *read_signal(void *unused)
{
	struct signalfd_siginfo info;

	if (read(fd, &info, sizeof(info)) == sizeof(info) && info.ssi_signo == SIGUSR1)
		sent++;
	loose = 1; // READER
	turn_done();
	return unused;
}

int main(void)
{
	pthread_t thread;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, 0);
	pthread_create(&thread, NULL, read_signal, NULL);
	sent = 1;
	kill(getpid(), SIGUSR1);
	turn_wait(1);
	loose = 1; // SENDER
	pthread_join(thread, NULL);
	printf("%d %d\n", sent, loose);
	return 0;
}
