/*
 * Tests signal handlers: the program sees its own handlers, and their events go to separate
 * streams.
 */
// build: -fexceptions
#include "recorded.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>

static volatile int plain_calls, full_calls;
static volatile int sent_value;

static void plain(int number)
{
	CHECK_SAME(number, SIGUSR1);
	plain_calls++;
	errno = 90; /* the interrupted code sees this errno, as without the runtime */
}

static void full(int number, siginfo_t *info, void *context)
{
	CHECK_SAME(number, SIGUSR2);
	CHECK_SAME(info->si_signo, SIGUSR2);
	CHECK_SAME(info->si_pid, getpid());
	CHECK(context != NULL);
	sent_value = info->si_value.sival_int;
	full_calls++;
}

static void questions(void)
{
	struct sigaction action = { .sa_sigaction = full, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigaction old;

	sigaddset(&action.sa_mask, SIGTERM);
	CHECK_SAME(sigaction(SIGUSR2, &action, &old), 0);
	CHECK(old.sa_handler == SIG_DFL);
	CHECK_SAME(sigaction(SIGUSR2, NULL, &old), 0);
	CHECK(old.sa_sigaction == full);
	CHECK_SAME(old.sa_flags & ~0x04000000,
		   SA_SIGINFO | SA_RESTART); /* the C library sets SA_RESTORER */
	CHECK(sigismember(&old.sa_mask, SIGTERM));
	CHECK(signal(SIGUSR2, plain) == (sighandler_t)(void *)full);
	CHECK(signal(SIGUSR2, SIG_IGN) == plain);
	CHECK(signal(SIGUSR2, SIG_DFL) == SIG_IGN);
	CHECK(sysv_signal(SIGUSR2, plain) == SIG_DFL);
	CHECK_SAME(sigaction(SIGUSR2, NULL, &old), 0);
	CHECK(old.sa_handler == plain && old.sa_flags & SA_RESETHAND);

	errno = 0;
	CHECK_SAME(sigaction(SIGKILL, &action, NULL), -1);
	CHECK_SAME(errno, EINVAL);
	CHECK_SAME(sigaction(0, &action, NULL), -1);
	CHECK_SAME(sigaction(65, &action, NULL), -1);
	CHECK_SAME(sigaction(-5, NULL, &old), -1);
	CHECK(signal(SIGKILL, plain) == SIG_ERR);
	CHECK(signal(1000, plain) == SIG_ERR);
}

static void delivery(void)
{
	struct sigaction action = { .sa_sigaction = full, .sa_flags = SA_SIGINFO };
	struct sigaction old;

	signal(SIGUSR1, plain);
	sigaction(SIGUSR2, &action, NULL);
	errno = 0;
	raise(SIGUSR1);
	CHECK_SAME(errno, 90);
	CHECK_SAME(plain_calls, 1);
	CHECK_SAME(sigqueue(getpid(), SIGUSR2, (union sigval){ .sival_int = 1234 }), 0);
	CHECK_SAME(full_calls, 1);
	CHECK_SAME(sent_value, 1234);
	action.sa_flags = SA_SIGINFO | SA_RESETHAND;
	sigaction(SIGUSR2, &action, NULL);
	raise(SIGUSR2);
	sigaction(SIGUSR2, NULL, &old);
	CHECK(old.sa_handler == SIG_DFL);
}

/* ---- streams ---- */

static sem_t sem;

static void post(int number)
{
	sem_post(&sem);
	if (number == SIGUSR1)
		raise(SIGUSR2); /* a handler inside the other handler */
	sem_post(&sem);
}

static void nested(void)
{
	sem_init(&sem, 0, 0);
	signal(SIGUSR1, post);
	signal(SIGUSR2, post);
	raise(SIGUSR1);
	CHECK_SAME(sem_trywait(&sem), 0);
	raise(SIGUSR2);
	CHECK_SAME(sem_trywait(&sem), 0);
}

/* ---- jumping out ---- */

static sigjmp_buf back;

static void jump(int number)
{
	sem_post(&sem);
	siglongjmp(back, number);
}

static void inside(int number)
{
	jmp_buf here;

	(void)number;
	if (setjmp(here) == 0)
		longjmp(here, 1); /* jumps within the handler */
	sem_post(&sem);
}

static void jumps(void)
{
	static char stack[65536];
	stack_t alternative = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = jump, .sa_flags = SA_ONSTACK };

	sem_init(&sem, 0, 0);
	signal(SIGUSR1, inside);
	raise(SIGUSR1);
	CHECK_SAME(sem_trywait(&sem), 0);

	signal(SIGUSR1, jump);
	for (volatile int i = 0; i < 10; i++) {
		if (sigsetjmp(back, 1) == 0)
			raise(SIGUSR1);
		CHECK_SAME(sem_trywait(&sem), 0);
	}
	sigaltstack(&alternative, NULL);
	sigaction(SIGUSR1, &action, NULL);
	for (volatile int i = 0; i < 10; i++) {
		if (sigsetjmp(back, 1) == 0)
			raise(SIGUSR1);
		CHECK_SAME(sem_trywait(&sem), 0);
	}
}

/* ---- a handler that cuts in anywhere ---- */

#define TICKS 500
static volatile int ticks;

static void tick(int number)
{
	(void)number;
	ticks++;
	sem_post(&sem);
}

static void storm(void)
{
	int downs = 0;

	sem_init(&sem, 0, 0);
	signal(SIGALRM, tick);
	ualarm(100, 100);
	while (ticks < TICKS) {
		void *block = malloc((size_t)downs % 100);
		__asm__ volatile("" : "+r"(block));
		free(block);
		if (sem_trywait(&sem) == 0)
			downs++;
	}
	ualarm(0, 0);
	while (sem_trywait(&sem) == 0)
		downs++;
	CHECK_SAME(downs, ticks);
}

/* ---- a child that was made in a handler goes on outside it ---- */

static pid_t child = -1;

static void make_child(int number)
{
	(void)number;
	child = fork();
}

static void forking(void)
{
	int status = -1;

	sem_init(&sem, 0, 1);
	signal(SIGUSR1, make_child);
	raise(SIGUSR1);
	if (child == 0) {
		CHECK_SAME(sem_trywait(&sem), 0);
		raise(SIGUSR1);
		if (child == 0)
			_exit(7);
		waitpid(child, &status, 0);
		_exit(WEXITSTATUS(status));
	}
	waitpid(child, &status, 0);
	CHECK_SAME(WEXITSTATUS(status), 7);
}

#define SEEN EV_HANDLER, EV_HANDLER_END, EV_POST, EV_DOWN

int main(void)
{
	struct recorded r = recorded_run(questions);
	CHECK_RAN(r);
	r = recorded_run(delivery);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 0, "", SEEN);
	r = recorded_run(nested);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 0, "DOWN DOWN", SEEN);
	CHECK_EVENTS(r, 1, "HANDLER POST POST HANDLER_END HANDLER POST POST HANDLER_END", SEEN);
	CHECK_EVENTS(r, 2, "HANDLER POST POST HANDLER_END", SEEN);
	r = recorded_run(jumps);
	CHECK_RAN(r);
	if (r.on) {
		size_t handlers = 0, ends = 0, downs = 0;
		for (size_t i = 0; i < r.count; i++) {
			handlers += r.events[i].kind == EV_HANDLER;
			ends += r.events[i].kind == EV_HANDLER_END;
			downs += r.events[i].kind == EV_DOWN && r.events[i].stream == 0;
		}
		CHECK_SAME(handlers, 21);
		CHECK_SAME(ends, 21);
		CHECK_SAME(downs, 21);
	}
	r = recorded_run(storm);
	CHECK_RAN(r);
	if (r.on) {
		size_t posts = 0, handlers = 0;
		for (size_t i = 0; i < r.count; i++) {
			posts += r.events[i].kind == EV_POST;
			handlers += r.events[i].kind == EV_HANDLER;
			CHECK(r.events[i].kind != EV_POST || r.events[i].stream != 0);
		}
		CHECK(posts >= TICKS);
		CHECK_SAME(handlers, posts);
	}
	r = recorded_run(forking);
	CHECK_RAN(r);
	return check_result();
}
