/*
 * Tests calls that wait in the kernel: their results, and that a SYNC is recorded after them, or a
 * RECEIVE if the sender is known.
 */
// build: -fexceptions
#include "recorded.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>

static int ends[2];

/* Each of these calls records one RECEIVE or one SYNC, and does not change errno. */
static void wait_for_all(bool known)
{
	char byte = 0;
	struct iovec vector = { &byte, 1 };
	struct pollfd readable = { .events = POLLIN };
	struct epoll_event event = { .events = EPOLLIN };
	fd_set set;
	int status;

	errno = 91;
	CHECK_SAME(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	/* now the C library may read from it, too */
	FILE *file = known ? NULL : fdopen(dup(ends[0]), "r");
	CHECK_SAME(write(ends[1], "abcdefgh", 8), 8);
	CHECK_SAME(read(ends[0], &byte, 1), 1);
	CHECK_SAME(byte, 'a');
	CHECK_SAME(readv(ends[0], &vector, 1), 1);
	CHECK_SAME(recv(ends[0], &byte, 1, 0), 1);
	CHECK_SAME(recvfrom(ends[0], &byte, 1, 0, NULL, NULL), 1);
	CHECK_SAME(recvmsg(ends[0], &(struct msghdr){ .msg_iov = &vector, .msg_iovlen = 1 }, 0), 1);
	CHECK_SAME(byte, 'e');
	readable.fd = ends[0];
	CHECK_SAME(poll(&readable, 1, -1), 1);
	CHECK_SAME(ppoll(&readable, 1, NULL, NULL), 1);
	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	CHECK_SAME(select(ends[0] + 1, &set, NULL, NULL, NULL), 1);
	CHECK_SAME(pselect(ends[0] + 1, &set, NULL, NULL, NULL, NULL), 1);
	int epoll = epoll_create1(0);
	epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
	CHECK_SAME(epoll_wait(epoll, &event, 1, -1), 1);
	CHECK_SAME(epoll_pwait(epoll, &event, 1, -1, NULL), 1);
	close(ends[1]);
	CHECK_SAME(recv(ends[0], &byte, 1, 0) + recv(ends[0], &byte, 1, 0) +
			   recv(ends[0], &byte, 1, 0),
		   3);
	/* records an event, too: the call shows that the other end was closed */
	CHECK_SAME(read(ends[0], &byte, 1), 0);
	eventfd_t count;
	int counter = eventfd(1, 0);
	if (!known)
		CHECK_SAME(syscall(SYS_write, counter, &(uint64_t){ 1 }, 8), 8);
	CHECK_SAME(eventfd_read(counter, &count), 0);
	pid_t child = fork();
	if (child == 0)
		_exit(5);
	CHECK_SAME(waitpid(child, &status, 0), child);
	CHECK_SAME(WEXITSTATUS(status), 5);
	CHECK_SAME(errno, 91);
	if (file)
		fclose(file);
}
#define WAITS 16 /* and one more for the child */

static void waiting(void)
{
	wait_for_all(true);
}

static void waiting_for_anybody(void)
{
	wait_for_all(false);
}

/* Data that was written without being recorded is noticed when it is read. */
static void unseen(void)
{
	char text[4];
	long result;

	CHECK_SAME(pipe(ends), 0);
	CHECK_SAME(write(ends[1], "ab", 2), 2);
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_write), "D"(ends[1]), "S"("cd"), "d"(2)
			 : "rcx", "r11", "memory");
	CHECK_SAME(result, 2);
	CHECK_SAME(read(ends[0], text, 2), 2); /* RECEIVE */
	CHECK_SAME(read(ends[0], text, 2), 2); /* SYNC, and so from now on */
	CHECK_SAME(write(ends[1], "ab", 2), 2);
	CHECK_SAME(read(ends[0], text, 2), 2); /* SYNC */
}

/*
 * Lifetimes of descriptors: dup2() over a descriptor begins a new lifetime. Each call with a
 * descriptor as its argument uses it.
 */
static void descriptors(void)
{
	char byte;

	CHECK_SAME(pipe(ends), 0);
	int copy = dup(ends[1]);
	CHECK_SAME(dup2(ends[1], copy), copy);
	CHECK_SAME(close(ends[1]), 0);
	CHECK_SAME(write(copy, "a", 1), 1);
	CHECK_SAME(close(copy), 0);
	CHECK_SAME(read(ends[0], &byte, 1), 1);
	CHECK_SAME(read(ends[0], &byte, 1), 0);
	CHECK_SAME(close(ends[0]), 0);
	errno = 0;
	CHECK_SAME(read(ends[0], &byte, 1), -1); /* MISUSE */
	CHECK_SAME(errno, EBADF);
	CHECK_SAME(close(ends[0]), -1); /* the call itself fails, too */
}

static void on_alarm(int number)
{
	(void)number;
}

static void signals(void)
{
	sigset_t set, none;
	siginfo_t info;
	int number;

	sigemptyset(&none);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR1);
	CHECK_SAME(sigwait(&set, &number), 0);
	CHECK_SAME(number, SIGUSR1);
	raise(SIGUSR1);
	CHECK_SAME(sigwaitinfo(&set, &info), SIGUSR1);
	raise(SIGUSR1);
	CHECK_SAME(sigtimedwait(&set, &info, &(struct timespec){ 1000, 0 }), SIGUSR1);
	signal(SIGUSR1, on_alarm);
	raise(SIGUSR1);
	errno = 0;
	CHECK_SAME(sigsuspend(&none), -1);
	CHECK_SAME(errno, EINTR);
}

static void locks(void)
{
	struct flock whole = { .l_type = F_WRLCK };
	FILE *file = tmpfile();

	CHECK_SAME(flock(fileno(file), LOCK_EX), 0);
	CHECK_SAME(fcntl(fileno(file), F_SETLKW, &whole), 0);
	CHECK_SAME(lockf(fileno(file), F_LOCK, 0), 0);
	fclose(file);
}

/* Calls that fail, time out, or read from a regular file record nothing. */
static void not_waiting(void)
{
	struct pollfd readable = { .events = POLLIN };
	FILE *file = tmpfile();
	char text[8];
	sigset_t set;

	CHECK_SAME(pipe2(ends, O_NONBLOCK), 0);
	errno = 0;
	CHECK_SAME(read(ends[0], text, 1), -1);
	CHECK_SAME(errno, EAGAIN);
	readable.fd = ends[0];
	CHECK_SAME(poll(&readable, 1, 0), 0);
	CHECK_SAME(write(fileno(file), "abc\n", 4), 4);
	lseek(fileno(file), 0, SEEK_SET);
	CHECK_SAME(read(fileno(file), text, 1), 1);
	rewind(file);
	CHECK(fgets(text, sizeof(text), file) != NULL);
	CHECK_SAME(strcmp(text, "abc\n"), 0);
	CHECK_SAME(fcntl(ends[0], F_GETFL) & O_NONBLOCK, O_NONBLOCK);
	CHECK_SAME(fcntl(ends[0], F_SETFD, FD_CLOEXEC), 0);
	CHECK_SAME(fcntl(ends[0], F_GETFD), FD_CLOEXEC);
	CHECK_SAME(waitpid(-1, NULL, 0), -1);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	CHECK_SAME(sigtimedwait(&set, NULL, &(struct timespec){ 0, 1 }), -1);
	CHECK_SAME(errno, EAGAIN);
	CHECK_SAME(syscall(SYS_getpid), getpid());
}

/* ---- writing ---- */

static void *read_much(void *unused)
{
	static char to[60000];

	CHECK_SAME(read(ends[0], to, sizeof(to)), sizeof(to));
	return unused;
}

static void writing(void)
{
	static char from[4096];
	pthread_t thread;

	CHECK_SAME(pipe2(ends, O_NONBLOCK), 0);
	while (write(ends[1], from, sizeof(from)) > 0)
		continue;
	CHECK_SAME(errno, EAGAIN); /* neither this call nor any before it has waited */
	CHECK_SAME(fcntl(ends[1], F_SETFL, 0), 0);
	pthread_create(&thread, NULL, read_much, NULL);
	CHECK_SAME(write(ends[1], from, 1), 1); /* SYNC, unless the other thread has already read */
	pthread_join(thread, NULL);
	CHECK_SAME(write(ends[1], from, 1), 1);
	CHECK_SAME(write(ends[1], from, sizeof(from) + 1), sizeof(from) + 1); /* perhaps a SYNC */
}

/* ---- futexes ---- */

static int word;

static void futexes(void)
{
	struct timespec soon = { .tv_nsec = 1000000 };

	errno = 0;
	CHECK_SAME(syscall(SYS_futex, &word, FUTEX_WAIT, 0, &soon, NULL, 0), -1);
	CHECK_SAME(errno, ETIMEDOUT);
	CHECK_SAME(syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0), 0);
	CHECK_SAME(syscall(SYS_futex, &word, FUTEX_WAIT, 1, NULL, NULL, 0), -1);
	/* another thread may have changed the word: this is the only SYNC */
	CHECK_SAME(errno, EAGAIN);
}

/* ---- stdio ---- */

static void stdio(void)
{
	char text[16], *line = NULL;
	size_t room = 0;

	CHECK_SAME(pipe(ends), 0);
	CHECK_SAME(write(ends[1], "one\ntwo\nthree", 13), 13);
	close(ends[1]);
	FILE *file = fdopen(ends[0], "r");
	CHECK(fgets(text, sizeof(text), file) != NULL);
	CHECK_SAME(strcmp(text, "one\n"), 0);
	CHECK_SAME(getline(&line, &room, file), 4);
	CHECK_SAME(strcmp(line, "two\n"), 0);
	CHECK_SAME(fread(text, 1, sizeof(text), file), 5);
	CHECK(fgets(text, sizeof(text), file) == NULL);
	free(line);
	fclose(file);
}

/* Reading from the FILE's buffer does not wait: the call that filled the buffer has waited. */
static void stdio_by_parts(void)
{
	int first = 0, second = 0;

	CHECK_SAME(pipe(ends), 0);
	CHECK_SAME(write(ends[1], "ab1 2c", 6), 6);
	close(ends[1]);
	FILE *file = fdopen(ends[0], "r");
	CHECK_SAME(fgetc(file), 'a'); /* SYNC */
	CHECK_SAME(getc(file), 'b');
	CHECK_SAME(fscanf(file, "%d %d", &first, &second), 2); /* SYNC */
	CHECK_SAME(first * 10 + second, 12);
	CHECK_SAME(fgetc(file), 'c');
	CHECK_SAME(fgetc(file), EOF);
	CHECK_SAME(fscanf(file, "%d", &first), EOF);
	fclose(file);
}

static void *hold_file(void *unused)
{
	CHECK(ftrylockfile(stdout) != 0);
	return unused;
}

static void file_locks(void)
{
	pthread_t thread;

	flockfile(stdout);
	CHECK_SAME(ftrylockfile(stdout), 0);
	flockfile(stdout);
	funlockfile(stdout);
	pthread_create(&thread, NULL, hold_file, NULL);
	pthread_join(thread, NULL);
	funlockfile(stdout);
	funlockfile(stdout);
	CHECK_SAME(ftrylockfile(stdout), 0);
	funlockfile(stdout);
}

/* ---- cancellation ---- */

static int cleanups;

static void count(void *unused)
{
	(void)unused;
	cleanups++;
}

static void *read_nothing(void *unused)
{
	char byte;

	pthread_cleanup_push(count, NULL);
	while (read(ends[0], &byte, 1) == 1)
		;
	pthread_cleanup_pop(0);
	return unused;
}

static void *join_nobody(void *thread)
{
	pthread_cleanup_push(count, NULL);
	pthread_join(*(pthread_t *)thread, NULL);
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancellation(void)
{
	pthread_t reader, joiner;
	void *result;

	CHECK_SAME(pipe(ends), 0);
	pthread_create(&reader, NULL, read_nothing, NULL);
	pthread_create(&joiner, NULL, join_nobody, &reader);
	pthread_cancel(joiner);
	pthread_join(joiner, &result);
	CHECK(result == PTHREAD_CANCELED);
	pthread_cancel(reader);
	pthread_join(reader, &result);
	CHECK(result == PTHREAD_CANCELED);
	CHECK_SAME(cleanups, 2);
}

static size_t times(const struct recorded *r, uint32_t stream, enum event_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < r->count; i++)
		n += r->events[i].kind == kind && r->events[i].stream == stream;
	return n;
}

static size_t syncs(const struct recorded *r, uint32_t stream)
{
	return times(r, stream, EV_SYNC);
}

#define CHECK_SYNCS(r, stream, n)                                                                  \
	do {                                                                                       \
		if ((r).on)                                                                        \
			CHECK_SAME(syncs(&(r), stream), n);                                        \
	} while (0)

int main(void)
{
	struct recorded r = recorded_run(waiting);
	CHECK_RAN(r);
	CHECK_SYNCS(r, 0, 1);
	if (r.on) {
		CHECK_SAME(times(&r, 0, EV_RECEIVE), WAITS + 2); /* two of what armed epoll */
		/* the eight bytes, arming epoll, and closing both ends */
		CHECK_SAME(times(&r, 0, EV_SEND), 4);
	}
	r = recorded_run(waiting_for_anybody);
	CHECK_RAN(r);
	CHECK_SYNCS(r, 0, WAITS + 1);
	r = recorded_run(unseen);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 0, "SEND RECEIVE SYNC SYNC", EV_SEND, EV_RECEIVE, EV_SYNC);
	r = recorded_run(descriptors);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 0,
		     "FD_OPEN FD_OPEN FD_USE FD_OPEN FD_USE SEND FD_OPEN FD_CLOSE SEND FD_USE SEND "
		     "FD_CLOSE SEND FD_USE RECEIVE FD_USE RECEIVE FD_CLOSE SEND MISUSE",
		     EV_FD_OPEN, EV_FD_USE, EV_FD_CLOSE, EV_SEND, EV_RECEIVE, EV_MISUSE);
	r = recorded_run(signals);
	CHECK_RAN(r);
	CHECK_SYNCS(r, 0, 4);
	CHECK_EVENTS(r, 1, "HANDLER SYNC HANDLER_END", EV_HANDLER, EV_SYNC, EV_HANDLER_END);
	r = recorded_run(locks);
	CHECK_RAN(r);
	CHECK_SYNCS(r, 0, 3);
	r = recorded_run(not_waiting);
	CHECK_RAN(r);
	CHECK_SYNCS(r, 0, 0);
	r = recorded_run(writing);
	CHECK_RAN(r);
	if (r.on)
		CHECK(syncs(&r, 0) == 1 || syncs(&r, 0) == 2);
	r = recorded_run(futexes);
	CHECK_RAN(r);
	CHECK_SYNCS(r, 0, 1);
	r = recorded_run(stdio);
	CHECK_RAN(r);
	CHECK_SYNCS(r, 0, 3);
	r = recorded_run(stdio_by_parts);
	CHECK_RAN(r);
	CHECK_SYNCS(r, 0, 2);
	r = recorded_run(file_locks);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 0, "ACQUIRE RELEASE ACQUIRE RELEASE", EV_ACQUIRE, EV_RELEASE);
	CHECK_EVENTS(r, 1, "ACQUIRE_FAIL", EV_ACQUIRE, EV_RELEASE, EV_ACQUIRE_FAIL);
	r = recorded_run(cancellation);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 1, "BEGIN END", EV_BEGIN, EV_END);
	CHECK_EVENTS(r, 2, "BEGIN JOIN_REQUEST END", EV_BEGIN, EV_JOIN_REQUEST, EV_END);
	/*
	 * a SYNC after the cancelled call, and another one before the events since
	 * pthread_cancel(), if there are any
	 */
	if (r.on) {
		CHECK(syncs(&r, 1) == 1 || syncs(&r, 1) == 2);
		CHECK(syncs(&r, 2) == 1 || syncs(&r, 2) == 2);
	}
	return check_result();
}
