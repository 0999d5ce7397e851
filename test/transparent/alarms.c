// Timers of the kernel end what takes longer than they do: by signals, by descriptors, at absolute times.
#include "say.h"

#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define DAY 86400

static sigjmp_buf back;
static sem_t sem;
static pthread_t sleeper;
static volatile sig_atomic_t over;

static void nothing(int number)
{
	(void)number;
}

static void escape(int number)
{
	siglongjmp(back, number);
}

static struct timespec in(clockid_t clock, time_t seconds)
{
	struct timespec time;

	clock_gettime(clock, &time);
	time.tv_sec += seconds;
	return time;
}

/* One that comes before the wait does not end it, the next one does. */
static void by_interval(void)
{
	struct itimerval often = { { 0, 10000 }, { 0, 10000 } }, never = { { 0, 0 }, { 0, 0 } },
			 left;
	struct timespec day = { .tv_sec = DAY }, until = in(CLOCK_REALTIME, DAY);

	setitimer(ITIMER_REAL, &often, NULL);
	SAY_ERRNO(sleep(DAY) > 80000);
	SAY_ERRNO(nanosleep(&day, NULL));
	SAY_ERRNO(sem_timedwait(&sem, &until));
	SAY_ERRNO(sem_wait(&sem));
	SAY_ERRNO(pause());
	getitimer(ITIMER_REAL, &left);
	SAY(left.it_interval.tv_usec);
	setitimer(ITIMER_REAL, &never, NULL);
	SAY(alarm(DAY));
	SAY(alarm(0) > 80000);
	SAY(alarm(0));
}

static void by_jumping(void)
{
	signal(SIGALRM, escape);
	if (sigsetjmp(back, 1) == 0) {
		alarm(1);
		for (;;)
			sleep(DAY);
	}
	SAY(alarm(0));
	signal(SIGALRM, nothing);
	siginterrupt(SIGALRM, 1);
}

static void by_posix_timer(clockid_t clock)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	struct itimerspec at = { { 0, 10000000 }, in(clock, 1) };
	timer_t timer;

	SAY(timer_create(clock, &event, &timer));
	SAY(timer_settime(timer, TIMER_ABSTIME, &at, NULL));
	SAY_ERRNO(sleep(DAY) > 80000);
	SAY_ERRNO(sem_wait(&sem));
	SAY(timer_delete(timer));
}

static void *read_and_wake(void *fd)
{
	unsigned long ticks;

	SAY(read(*(int *)fd, &ticks, sizeof(ticks)));
	while (!over) {
		pthread_kill(sleeper, SIGALRM);
		sched_yield();
	}
	return NULL;
}

static void by_descriptor(clockid_t clock)
{
	int fd = timerfd_create(clock, 0);
	struct itimerspec at = { .it_value = in(clock, 1) };
	pthread_t reader;

	over = 0;
	SAY(timerfd_settime(fd, TFD_TIMER_ABSTIME, &at, NULL));
	pthread_create(&reader, NULL, read_and_wake, &fd);
	SAY_ERRNO(sleep(DAY) > 80000);
	over = 1;
	pthread_join(reader, NULL);
	close(fd);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	sleeper = pthread_self();
	sem_init(&sem, 0, 0);
	signal(SIGALRM, nothing);
	siginterrupt(SIGALRM, 1);
	by_interval();
	by_jumping();
	by_posix_timer(CLOCK_MONOTONIC);
	by_posix_timer(CLOCK_REALTIME);
	by_descriptor(CLOCK_MONOTONIC);
	by_descriptor(CLOCK_REALTIME);
	return 0;
}
