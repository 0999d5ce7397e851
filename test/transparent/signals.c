// Dispositions, masks, stacks, what a handler is told, and calls that a signal interrupts.
#include "say.h"

#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t seen, on_other_stack, depth, deepest;
static char *volatile other_stack;
static volatile int code, value;
static void *volatile address;
static sigset_t in_handler;
static sigjmp_buf back;

static void plain(int number)
{
	(void)number;
	char here;
	seen++;
	on_other_stack = other_stack && &here >= other_stack && &here < other_stack + 65536;
	sigprocmask(SIG_BLOCK, NULL, &in_handler);
}

static void full(int number, siginfo_t *info, void *context)
{
	(void)number, (void)context;
	seen++;
	code = info->si_code;
	value = info->si_value.sival_int;
	address = info->si_addr;
}

static void nested(int number)
{
	if (++depth > deepest)
		deepest = depth;
	if (depth < 3)
		raise(number);
	depth--;
}

static void escape(int number)
{
	siglongjmp(back, number);
}

static unsigned long bits(const sigset_t *set)
{
	unsigned long all = 0;

	for (int i = 1; i < 64; i++)
		all |= (unsigned long)(sigismember(set, i) > 0) << i;
	return all;
}

static void say_disposition(int number)
{
	struct sigaction a = { 0 };

	errno = 0;
	int result = sigaction(number, NULL, &a);
	printf("%d: %d %d handler %d flags %#x mask %#lx\n", number, result, errno,
	       a.sa_handler == SIG_DFL	 ? 0
	       : a.sa_handler == SIG_IGN ? 1
	       : a.sa_handler == plain	 ? 2
	       : a.sa_sigaction == full	 ? 3
	       : a.sa_handler == nested	 ? 4
					 : 5,
	       (unsigned)a.sa_flags & ~0x04000000u, bits(&a.sa_mask));
}

static void set(int number, void (*handler)(int), int flags)
{
	struct sigaction a = { .sa_handler = handler, .sa_flags = flags };

	sigaddset(&a.sa_mask, SIGUSR2);
	SAY_ERRNO(sigaction(number, &a, NULL));
}

static void dispositions(void)
{
	struct sigaction a = { .sa_sigaction = full, .sa_flags = SA_SIGINFO };

	for (int i = 1; i < 65; i++)
		say_disposition(i);
	set(SIGUSR1, plain, SA_RESTART);
	say_disposition(SIGUSR1);
	SAY_ERRNO(sigaction(SIGRTMIN, &a, NULL));
	say_disposition(SIGRTMIN);
	SAY_ERRNO(sigaction(SIGKILL, &a, NULL));
	SAY_ERRNO(sigaction(999, &a, NULL));
	SAY(signal(SIGUSR1, SIG_IGN) == plain);
	SAY(signal(SIGUSR1, plain) == SIG_IGN);
	say_disposition(SIGUSR1);
	SAY(signal(SIGUSR1, SIG_DFL) == plain);
	SAY(signal(SIGKILL, plain) == SIG_ERR);
	SAY(errno);
}

static void told(void)
{
	struct sigaction a = { .sa_sigaction = full, .sa_flags = SA_SIGINFO };

	sigaction(SIGRTMIN, &a, NULL);
	sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = 42 });
	printf("seen %d code %d value %d\n", seen, code, value);
	a.sa_flags |= SA_RESETHAND;
	sigaction(SIGUSR2, &a, NULL);
	kill(getpid(), SIGUSR2);
	printf("seen %d code %d\n", seen, code);
	say_disposition(SIGUSR2);
	set(SIGALRM, nested, SA_NODEFER);
	raise(SIGALRM);
	SAY(deepest);
}

static void on_stack(void)
{
	stack_t now, stack = { .ss_size = 65536 };

	other_stack = stack.ss_sp =
		mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaltstack(&stack, NULL);
	set(SIGUSR1, plain, SA_ONSTACK);
	raise(SIGUSR1);
	SAY(on_other_stack);
	printf("mask in handler %#lx\n", bits(&in_handler));
	set(SIGUSR1, plain, 0);
	raise(SIGUSR1);
	SAY(on_other_stack);
	sigaltstack(NULL, &now);
	printf("stack %d size %zu flags %d\n", now.ss_sp == stack.ss_sp, now.ss_size, now.ss_flags);
}

/* A fault in the middle of accesses, on a page that is not there; and the jump out of it. */
static void faults(void)
{
	char *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sigaction a = { .sa_handler = escape };

	sigaction(SIGSEGV, &a, NULL);
	for (int i = 0; i < 3; i++) {
		if (sigsetjmp(back, 1) == 0) {
			say_work(1000);
			*(volatile char *)(page + i) = 1;
		} else {
			printf("escaped\n");
		}
	}
	signal(SIGSEGV, SIG_DFL);
}

static void *interrupt(void *thread)
{
	struct timespec moment = { .tv_nsec = 20000000 };

	nanosleep(&moment, NULL);
	pthread_kill(*(pthread_t *)thread, SIGUSR1);
	return NULL;
}

/* What comes of a call when a handler ran in it. */
#define INTERRUPTED(call)                                                                          \
	do {                                                                                       \
		pthread_create(&helper, NULL, interrupt, &self);                                   \
		SAY_ERRNO(call);                                                                   \
		pthread_join(helper, NULL);                                                        \
	} while (0)

static void interrupted(void)
{
	pthread_t self = pthread_self(), helper;
	struct timespec day = { .tv_sec = 86400 };
	sigset_t none;
	sem_t sem;
	int ends[2];
	char byte;

	sigemptyset(&none);
	sem_init(&sem, 0, 0);
	if (pipe(ends))
		return;
	signal(SIGUSR1, plain);
	siginterrupt(SIGUSR1, 1);
	INTERRUPTED(read(ends[0], &byte, 1));
	INTERRUPTED(sem_wait(&sem));
	INTERRUPTED(nanosleep(&day, NULL));
	INTERRUPTED(pause());
	INTERRUPTED(sigsuspend(&none));
	INTERRUPTED(sleep(86400) > 80000);
}

static void *say_mask(void *unused)
{
	sigset_t mask;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	printf("a thread's mask %#lx\n", bits(&mask));
	return unused;
}

static void masks(void)
{
	sigset_t some, pending;
	int number = 0;

	sigemptyset(&some);
	sigaddset(&some, SIGUSR1);
	sigaddset(&some, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &some, NULL);
	say_in_thread(say_mask, NULL);
	say_work(100000);
	say_mask(NULL);
	raise(SIGUSR1);
	sigpending(&pending);
	printf("pending %#lx\n", bits(&pending));
	SAY(sigwait(&some, &number));
	SAY(number);
	raise(SIGTERM);
	struct signalfd_siginfo info;
	int fd = signalfd(-1, &some, 0);
	SAY(read(fd, &info, sizeof(info)) == sizeof(info));
	SAY(info.ssi_signo);
	sigpending(&pending);
	printf("pending %#lx\n", bits(&pending));
	SAY_ERRNO(pthread_kill(pthread_self(), 999));
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	dispositions();
	told();
	on_stack();
	faults();
	interrupted();
	masks();
	signal(SIGHUP, SIG_IGN);
	raise(SIGHUP);
	signal(SIGXCPU, SIG_DFL);
	sigset_t none;
	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
	raise(SIGXCPU); /* the end: by default */
	return 0;
}
// check: cut
