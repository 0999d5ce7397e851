// What a thread did before it added a descriptor to an epoll set, or armed it again, is there for the thread that gets
// the event, although the descriptor was ready all the time. What it does later races.
// build: -pthread
// stdout: 2 4 2
// text: ^T1\|receive\(.*predict_epoll_armed
// notext: ^T1\|sync
// predict: race loose@ARMS loose@WAITS
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

struct connection {
	int fd, value;
};

static int first_set, second_set, loose, seen[2];

static struct connection *next_ready(int set)
{
	struct epoll_event event = { 0 };

	while (epoll_wait(set, &event, 1, -1) != 1)
		;
	return event.data.ptr;
}

static void *wait_for_events(void *unused)
{
	struct connection *added = next_ready(first_set);

	seen[0] = ++added->value;
	free(added);
	struct connection *armed = next_ready(second_set);
	loose++; // WAITS
	seen[1] = ++armed->value;
	free(armed);
	return unused;
}

static void arm(int set, int operation, struct connection *c)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLONESHOT, .data.ptr = c };

	epoll_ctl(set, operation, c->fd, &event);
}

static struct connection *connect_ready(int value)
{
	struct connection *made = malloc(sizeof *made);

	made->fd = eventfd(1, 0);
	made->value = value;
	return made;
}

int main(void)
{
	pthread_t thread;

	first_set = epoll_create1(0);
	second_set = epoll_create1(0);
	struct connection *twice = connect_ready(2);
	arm(second_set, EPOLL_CTL_ADD, twice);
	next_ready(second_set);
	pthread_create(&thread, NULL, wait_for_events, NULL);
	arm(first_set, EPOLL_CTL_ADD, connect_ready(1));
	twice->value = 3;
	arm(second_set, EPOLL_CTL_MOD, twice);
	loose++; // ARMS
	pthread_join(thread, NULL);
	printf("%d %d %d\n", seen[0], seen[1], loose);
	return 0;
}
