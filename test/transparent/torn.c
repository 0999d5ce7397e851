// Handlers that jump away, out of whatever the thread was doing.
#include "say.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <unistd.h>

enum { JUMPS = 300 };
static sigjmp_buf back;
static volatile sig_atomic_t jumps;
static unsigned long counter;
static volatile unsigned long plain;

static void jump(int number)
{
	(void)number;
	if (++jumps <= JUMPS)
		siglongjmp(back, 1);
}

static void *count(void *unused)
{
	for (int i = 0; i < 100000; i++)
		__atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
	return unused;
}

int main(void)
{
	struct itimerval often = { { 0, 100 }, { 0, 100 } }, never = { 0 };
	struct epoll_event event = { .events = EPOLLIN };
	int ends[2], epoll = epoll_create1(0);
	pthread_t thread;
	sigset_t alarm;

	if (pipe(ends) || epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event))
		return 1;
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, NULL);
	pthread_create(&thread, NULL, count, NULL);
	pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
	signal(SIGALRM, jump);
	if (sigsetjmp(back, 1) ==
	    0) /* before the first alarm: on a busy machine it comes at once */
		setitimer(ITIMER_REAL, &often, NULL);
	while (jumps < JUMPS) {
		__atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
		plain++;
		close(-1);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	pthread_join(thread, NULL);
	SAY(jumps >= JUMPS);
	SAY(close(ends[0]));
	SAY(close(epoll));
	return 0;
}
