// "Nothing is there" was so because nothing had been put in yet: who looks under the lock that others hold when
// they put something in did so before them, and so was what it did then. What it did before is another matter. Each way
// of looking has a lock of its own: one that is ordered would keep the order for the others.
// build: -pthread
// plain: lib/turn.c
// stdout: 10 2
// predict: race before@BEFORE before@OTHER
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

void turn_wait(int number);
void turn_done(void);

enum { LAST_TO_PUT = 7, ALL = 10 };
static pthread_mutex_t locks[ALL];
static int first[ALL], before;
static int read_from[2], received[2], counter, polled[2], selected[2], watched[2], asked[2], epoll;
static int several[2], full[2], crowded[2];

static bool is_over(int how)
{
	struct pollfd in = { .fd = polled[0], .events = POLLIN };
	struct pollfd out = { .fd = full[1], .events = POLLOUT };
	struct epoll_event event;
	struct timeval none = { 0 };
	eventfd_t value;
	fd_set set;
	char byte;
	struct iovec one = { &byte, 1 };
	struct mmsghdr messages[] = { { .msg_hdr = { .msg_iov = &one, .msg_iovlen = 1 } } };
	int bytes = 1;

	FD_ZERO(&set);
	switch (how) {
	case 0: return read(read_from[0], &byte, 1) < 0 && errno == EAGAIN;
	case 1: return recv(received[0], &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN;
	case 2: return eventfd_read(counter, &value) < 0 && errno == EAGAIN;
	case 3: return poll(&in, 1, 1) == 0;
	case 4:
		FD_SET(selected[0], &set);
		return select(selected[0] + 1, &set, NULL, NULL, &none) == 0;
	case 5: return epoll_wait(epoll, &event, 1, 0) == 0;
	case 6: return ioctl(asked[0], FIONREAD, &bytes) == 0 && bytes == 0;
	case 7: return recvmmsg(several[0], messages, 1, MSG_DONTWAIT, NULL) < 0 && errno == EAGAIN;
	case 8: return poll(&out, 1, 0) == 0;
	case 9: return write(crowded[1], "x", 1) < 0 && errno == EAGAIN;
	}
	return false;
}

static void *look(void *unused)
{
	turn_wait(1);
	before = 1; // BEFORE
	for (int i = 0; i < ALL; i++) {
		pthread_mutex_lock(&locks[i]);
		if (is_over(i))
			first[i] = 1;
		pthread_mutex_unlock(&locks[i]);
	}
	turn_done();
	return unused;
}

static void put(int fd)
{
	if (write(fd, "x", 1) != 1)
		perror("write");
}

/* A page, so that there is room again. */
static void take(int fd)
{
	char bytes[4096];

	if (read(fd, bytes, sizeof(bytes)) < 0)
		perror("read");
}

static void change(int how)
{
	switch (how) {
	case 0: put(read_from[1]); break;
	case 1: put(received[1]); break;
	case 2: eventfd_write(counter, 1); break;
	case 3: put(polled[1]); break;
	case 4: put(selected[1]); break;
	case 5: put(watched[1]); break;
	case 6: put(asked[1]); break;
	case 7: put(several[1]); break;
	case 8: take(full[0]); break;
	case 9: take(crowded[0]); break;
	}
}

/* had it come earlier, nobody else would have written `first` */
static void change_one(int how)
{
	pthread_mutex_lock(&locks[how]);
	change(how);
	pthread_mutex_unlock(&locks[how]);
	first[how] = 2;
}

/* Who takes out is behind all that was put in: last, and in the same order. */
static void *change_all(void *unused)
{
	turn_wait(2);
	for (int i = 0; i <= LAST_TO_PUT; i++)
		change_one(i);
	before = 2; // OTHER
	for (int i = LAST_TO_PUT + 1; i < ALL; i++)
		change_one(i);
	return unused;
}

static void fill(int fd)
{
	static char bytes[4096];

	while (write(fd, bytes, sizeof(bytes)) > 0)
		;
}

int main(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	pthread_t threads[2];
	int sum = 0;

	if (pipe2(read_from, O_NONBLOCK) || socketpair(AF_UNIX, SOCK_STREAM, 0, received) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, several) || pipe(polled) || pipe(selected) ||
	    pipe(watched) || pipe(asked) || pipe2(full, O_NONBLOCK) || pipe2(crowded, O_NONBLOCK))
		return 1;
	for (int i = 0; i < ALL; i++)
		pthread_mutex_init(&locks[i], NULL);
	fill(full[1]);
	fill(crowded[1]);
	counter = eventfd(0, EFD_NONBLOCK);
	epoll = epoll_create1(0);
	epoll_ctl(epoll, EPOLL_CTL_ADD, watched[0], &event);
	turn_done();
	pthread_create(&threads[0], NULL, look, NULL);
	pthread_create(&threads[1], NULL, change_all, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < ALL; i++)
		sum += first[i] == 2;
	printf("%d %d\n", sum, before);
	return 0;
}
