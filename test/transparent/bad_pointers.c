// build: -O0
/*
 * Calls with pointers that lead nowhere fail with EFAULT and do no harm; what a call does not look at may be
 * anything. (Without optimisation: the headers say of some pointers that they are never NULL.)
 */
#include "say.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static void *nowhere; /* a page that cannot be read or written */
static char *edge;    /* where a page ends that such a one follows */
static int pair[2], ends[2], counter;

static void transfers(void)
{
	char byte;
	struct iovec part = { &byte, 1 };
	struct msghdr message = { .msg_iov = nowhere, .msg_iovlen = 1 };

	SAY_ERRNO(write(counter, nowhere, 8));
	SAY_ERRNO(write(ends[1], nowhere, 8));
	SAY_ERRNO(read(counter, nowhere, 8));
	SAY_ERRNO(writev(ends[1], nowhere, 1));
	SAY_ERRNO(writev(ends[1], NULL, 1));
	SAY_ERRNO(writev(ends[1], &part, -1));
	SAY_ERRNO(writev(ends[1], &part, 100000));
	SAY_ERRNO(writev(ends[1], nowhere, 0));
	SAY_ERRNO(write(ends[1], "a", 1));
	SAY_ERRNO(readv(ends[0], nowhere, 1));
	SAY_ERRNO(readv(ends[0], &part, 1));
	SAY_ERRNO(sendmsg(pair[0], nowhere, 0));
	SAY_ERRNO(sendmsg(pair[0], NULL, 0));
	SAY_ERRNO(sendmsg(pair[0], &message, 0));
	SAY_ERRNO(send(pair[0], "b", 1, 0));
	SAY_ERRNO(recvmsg(pair[1], nowhere, 0));
	SAY_ERRNO(recvmsg(pair[1], NULL, 0));
	SAY_ERRNO(recvmsg(pair[1], &message, 0));
	SAY_ERRNO(recvmmsg(pair[1], nowhere, 1, 0, NULL));
	SAY_ERRNO(recv(pair[1], &byte, 1, MSG_DONTWAIT));
}

/* A part of a message that lies at the end of memory. */
static void at_the_edge(void)
{
	struct iovec *part = (struct iovec *)(edge - sizeof(*part));
	char byte;

	*part = (struct iovec){ "c", 1 };
	SAY_ERRNO(writev(ends[1], part, 1));
	SAY_ERRNO(writev(ends[1], part, 2));
	part->iov_base = &byte;
	SAY_ERRNO(readv(ends[0], part, 1));
}

static void readiness(void)
{
	/* (The library itself looks at the times that select, pselect and ppoll are given.) */
	struct timeval none = { 0 };
	struct timespec never = { 0 };
	struct epoll_event event = { .events = EPOLLIN };
	int set = epoll_create1(0);
	fd_mask *small = (fd_mask *)edge - 1;

	SAY_ERRNO(select(1, nowhere, NULL, NULL, &none));
	*small = 1l << ends[1];
	SAY_ERRNO(select(ends[1] + 1, NULL, (fd_set *)small, NULL, NULL));
	SAY_ERRNO(ppoll(nowhere, 1, &never, NULL));
	SAY_ERRNO(poll(nowhere, 1, 0));
	SAY_ERRNO(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], nowhere));
	SAY_ERRNO(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event));
	SAY_ERRNO(epoll_ctl(set, EPOLL_CTL_DEL, ends[0], nowhere));
	SAY_ERRNO(epoll_wait(set, nowhere, 1, 0));
	SAY_ERRNO(epoll_pwait2(set, &event, 1, nowhere, NULL));
	close(set);
}

/* Sets for more descriptors than an fd_set has room for. */
static void large_sets(void)
{
	size_t bytes = 4096 / 8;
	fd_mask *set = calloc(1, bytes);

	set[0] = 1l << ends[1];
	SAY_ERRNO(select(4096, NULL, (fd_set *)set, NULL, NULL));
	SAY(set[0] == 1l << ends[1]);
	free(set);
}

static void times(void)
{
	sigset_t signals;
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	SAY_ERRNO(nanosleep(nowhere, NULL));
	SAY_ERRNO(clock_nanosleep(CLOCK_MONOTONIC, 0, nowhere, NULL));
	SAY_ERRNO(sigtimedwait(&signals, NULL, nowhere));
	SAY_ERRNO(gettimeofday(NULL, NULL));
	SAY_ERRNO(pthread_mutex_timedlock(&lock, nowhere));
	pthread_mutex_unlock(&lock);
	SAY_ERRNO(pthread_mutex_timedlock(&lock, NULL));
	SAY_ERRNO(syscall(SYS_futex, nowhere, FUTEX_WAIT, 0, NULL, NULL, 0));
	SAY_ERRNO(syscall(SYS_futex, NULL, FUTEX_WAIT, 0, NULL, NULL, 0));
}

static void answers(void)
{
	struct stat about;
	int value;

	SAY_ERRNO(getrandom(nowhere, 8, 0));
	SAY_ERRNO(getentropy(nowhere, 8));
	SAY_ERRNO(getsockopt(pair[0], SOL_SOCKET, SO_TYPE, &value, nowhere));
	SAY_ERRNO(getsockname(pair[0], nowhere, nowhere));
	SAY_ERRNO(stat(nowhere, &about));
	SAY_ERRNO(stat("/", nowhere));
	SAY_ERRNO(open(nowhere, O_RDONLY));
	SAY_ERRNO(pipe(nowhere));
	SAY_ERRNO(socketpair(AF_UNIX, SOCK_STREAM, 0, nowhere));
	SAY_ERRNO(execve(nowhere, nowhere, nowhere));
	SAY_ERRNO(pwrite(ends[1], nowhere, 4, 0));
}

/* A mapping that cannot stay where it is moves, and errno stays. */
static void moves(void)
{
	char *two = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	two[0] = 5;
	errno = 55;
	char *moved = mremap(two, 4096, 1 << 20, MREMAP_MAYMOVE);
	SAY(errno);
	SAY(moved != two && moved[0] == 5);
	munmap(moved, 1 << 20);
}

int main(void)
{
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	edge = pages + 4096;
	nowhere = edge;
	if (mprotect(nowhere, 4096, PROT_NONE) || pipe(ends) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return 1;
	counter = eventfd(3, 0);
	transfers();
	at_the_edge();
	readiness();
	large_sets();
	times();
	answers();
	moves();
	return 0;
}
