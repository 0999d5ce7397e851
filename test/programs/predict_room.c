// A write that finds room although there was none comes after the read that made room: without waiting, for a pipe, an
// eventfd and a socket with an address. Also a write that never failed, if not all could have been in the pipe at once.
// What comes after the read is another matter.
// build: -pthread
// plain: lib/turn.c
// stdout: 1 2 3 4 2
// predict: race loose@TAKES loose@PUTS
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void turn_wait(int number);
void turn_done(void);

enum { ALL = 4, BYTES = 65536 };
static int data[ALL], seen[ALL], loose, tried[2], counter, bound, sender, used[2];
static struct sockaddr_un address = { .sun_family = AF_UNIX };
static char bytes[BYTES], taken[BYTES];

static bool put(int which)
{
	switch (which) {
	case 0: return write(tried[1], bytes, 4096) == 4096;
	case 1: return eventfd_write(counter, UINT64_MAX - 1) == 0;
	case 2:
		return sendto(sender, bytes, 1, MSG_DONTWAIT, (const struct sockaddr *)&address,
			      sizeof address) == 1;
	case 3: return write(used[1], bytes, 4096) == 4096;
	}
	return false;
}

static void take_all(int which)
{
	eventfd_t value;

	switch (which) {
	case 0:
		while (read(tried[0], taken, BYTES) > 0)
			;
		break;
	case 1: eventfd_read(counter, &value); break;
	case 2:
		while (recv(bound, taken, 1, MSG_DONTWAIT) > 0)
			;
		break;
	case 3: (void)!read(used[0], taken, BYTES); break;
	}
}

static void *take(void *unused)
{
	turn_wait(1);
	for (int i = 0; i < ALL; i++) {
		data[i] = i + 1;
		take_all(i);
	}
	turn_done();
	turn_wait(3);
	loose++; // TAKES
	return unused;
}

static void open_all(void)
{
	snprintf(address.sun_path, sizeof address.sun_path, "/tmp/sooth-room-%d", (int)getpid());
	bound = socket(AF_UNIX, SOCK_DGRAM, 0);
	sender = socket(AF_UNIX, SOCK_DGRAM, 0);
	counter = eventfd(0, EFD_NONBLOCK);
	if (pipe2(tried, O_NONBLOCK) || pipe(used) ||
	    bind(bound, (const struct sockaddr *)&address, sizeof address))
		perror("open_all");
}

int main(void)
{
	pthread_t thread;

	open_all();
	pthread_create(&thread, NULL, take, NULL);
	for (int i = 0; i < ALL - 1; i++)
		while (put(i))
			;
	for (int i = 0; i < BYTES / 4096; i++)
		put(ALL - 1);
	turn_done();
	turn_wait(2);
	for (int i = 0; i < ALL; i++) {
		while (!put(i))
			sched_yield();
		seen[i] = data[i];
	}
	loose++; // PUTS
	turn_done();
	pthread_join(thread, NULL);
	unlink(address.sun_path);
	for (int i = 0; i < ALL; i++)
		printf("%d ", seen[i]);
	printf("%d\n", loose);
	return 0;
}
