// "Nothing is there" was so because nothing had been put in yet: who looks under the lock that others hold when
// they put something in did so before them, and so was what it did then. What it did before is another matter.
// build: -pthread
// plain: lib/turn.c
// stdout: 7 2
// predict: race before@BEFORE before@OTHER
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

void turn_wait(int number);
void turn_done(void);

enum { ALL = 7 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first[ALL], before;
static int read_from[2], received[2], counter, polled[2], selected[2], watched[2], asked[2], epoll;

static void *look(void *unused)
{
	struct pollfd one = { .fd = polled[0], .events = POLLIN };
	struct epoll_event event;
	struct timeval none = { 0 };
	eventfd_t value;
	fd_set set;
	char byte;
	int bytes = 1;

	turn_wait(1);
	before = 1; // BEFORE
	pthread_mutex_lock(&lock);
	if (read(read_from[0], &byte, 1) < 0 && errno == EAGAIN)
		first[0] = 1;
	if (recv(received[0], &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN)
		first[1] = 1;
	if (eventfd_read(counter, &value) < 0 && errno == EAGAIN)
		first[2] = 1;
	if (poll(&one, 1, 1) == 0)
		first[3] = 1;
	FD_ZERO(&set);
	FD_SET(selected[0], &set);
	if (select(selected[0] + 1, &set, NULL, NULL, &none) == 0)
		first[4] = 1;
	if (epoll_wait(epoll, &event, 1, 0) == 0)
		first[5] = 1;
	if (ioctl(asked[0], FIONREAD, &bytes) == 0 && bytes == 0)
		first[6] = 1;
	pthread_mutex_unlock(&lock);
	turn_done();
	return unused;
}

static void put(int fd)
{
	if (write(fd, "x", 1) != 1)
		perror("write");
}

static void *send_all(void *unused)
{
	turn_wait(2);
	pthread_mutex_lock(&lock);
	put(read_from[1]);
	put(received[1]);
	eventfd_write(counter, 1);
	put(polled[1]);
	put(selected[1]);
	put(watched[1]);
	put(asked[1]);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < ALL; i++)
		first[i] = 2; // had it come earlier, nobody else would have written it
	before = 2;	      // OTHER
	return unused;
}

int main(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	pthread_t threads[2];
	int sum = 0;

	if (pipe2(read_from, O_NONBLOCK) || socketpair(AF_UNIX, SOCK_STREAM, 0, received) ||
	    pipe(polled) || pipe(selected) || pipe(watched) || pipe(asked))
		return 1;
	counter = eventfd(0, EFD_NONBLOCK);
	epoll = epoll_create1(0);
	epoll_ctl(epoll, EPOLL_CTL_ADD, watched[0], &event);
	turn_done();
	pthread_create(&threads[0], NULL, look, NULL);
	pthread_create(&threads[1], NULL, send_all, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < ALL; i++)
		sum += first[i] == 2;
	printf("%d %d\n", sum, before);
	return 0;
}
