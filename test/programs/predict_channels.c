// What was written before something went into a channel is there for who takes it out, and for who is
// told that there is something; what a third thread wrote, however long before, is not.
// build: -pthread
// plain: lib/turn.c
// stdout: 9 9
// notext: ^T3\|sync
// predict: race stranger[0]@PIPE stranger[0]@STRANGER
// predict: race stranger[1]@END stranger[1]@STRANGER
// predict: race stranger[2]@FORTH stranger[2]@STRANGER
// predict: race stranger[3]@BACK stranger[3]@STRANGER
// predict: race stranger[4]@EVENTFD stranger[4]@STRANGER
// predict: race stranger[5]@POLL stranger[5]@STRANGER
// predict: race stranger[6]@SELECT stranger[6]@STRANGER
// predict: race stranger[7]@EPOLL stranger[7]@STRANGER
// predict: race stranger[8]@COPY stranger[8]@STRANGER
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

void turn_wait(int number);
void turn_done(void);

enum { ALL = 9 };
static int handed[ALL], stranger[ALL];
static int pipe_ends[2], ended[2], pair[2], counter, polled[2], selected[2], watched[2], copied[2];

static void *write_early(void *unused)
{
	for (int i = 0; i < ALL; i++)
		stranger[i] = 1; // STRANGER
	turn_done();
	return unused;
}

static void put(int fd, int i)
{
	handed[i] = 1;
	if (write(fd, "x", 1) != 1)
		perror("write");
}

static void *put_all(void *unused)
{
	turn_wait(1);
	put(pipe_ends[1], 0);
	handed[1] = 1;
	close(ended[1]);
	put(pair[0], 2);
	put(pair[1], 3);
	handed[4] = 1;
	eventfd_write(counter, 2);
	put(polled[1], 5);
	put(selected[1], 6);
	put(watched[1], 7);
	put(copied[1], 8);
	turn_done();
	return unused;
}

static void take(int fd, ssize_t expected)
{
	char byte;

	if (read(fd, &byte, 1) != expected)
		perror("read");
}

static void *take_all(void *unused)
{
	struct pollfd one = { .fd = polled[0], .events = POLLIN };
	struct epoll_event event = { .events = EPOLLIN, .data.fd = watched[0] };
	int epoll = epoll_create1(0);
	eventfd_t value;
	fd_set set;

	turn_wait(2);
	take(pipe_ends[0], 1);
	handed[0]++;
	stranger[0] = 1; // PIPE
	take(ended[0], 0);
	handed[1]++;
	stranger[1] = 1; // END
	take(pair[1], 1);
	handed[2]++;
	stranger[2] = 1; // FORTH
	take(pair[0], 1);
	handed[3]++;
	stranger[3] = 1; // BACK
	eventfd_read(counter, &value);
	handed[4]++;
	stranger[4] = 1; // EVENTFD
	poll(&one, 1, -1);
	handed[5]++;
	stranger[5] = 1; // POLL
	FD_ZERO(&set);
	FD_SET(selected[0], &set);
	select(selected[0] + 1, &set, NULL, NULL, NULL);
	handed[6]++;
	stranger[6] = 1; // SELECT
	epoll_ctl(epoll, EPOLL_CTL_ADD, watched[0], &event);
	epoll_wait(epoll, &event, 1, -1);
	handed[7]++;
	stranger[7] = 1; // EPOLL
	take(dup(copied[0]), 1);
	handed[8]++;
	stranger[8] = 1; // COPY
	return unused;
}

int main(void)
{
	pthread_t threads[3];
	int sum = 0, others = 0;

	if (pipe(pipe_ends) || pipe(ended) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) ||
	    pipe(polled) || pipe(selected) || pipe(watched) || pipe(copied))
		return 1;
	counter = eventfd(0, 0);
	pthread_create(&threads[0], NULL, write_early, NULL);
	pthread_create(&threads[1], NULL, put_all, NULL);
	pthread_create(&threads[2], NULL, take_all, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < ALL; i++) {
		sum += handed[i] == 2;
		others += stranger[i];
	}
	printf("%d %d\n", sum, others);
	return 0;
}
