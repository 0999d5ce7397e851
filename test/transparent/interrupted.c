// Signals to a thread that waits: which waits end, which go on, what the handler is told, and jumps out of each.
#include "say.h"

#include <poll.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

static pthread_t waiter;
static sigjmp_buf back;
static atomic_int over, handled;
static volatile sig_atomic_t armed, value, on_other_stack;
static char *other_stack;
static sem_t sem;
static int ends[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;
static const struct timespec day = { .tv_sec = 86400 };
static struct timespec left;

static void count(int number)
{
	(void)number;
	handled++;
}

static void jump(int number)
{
	handled++;
	if (!armed)
		return;
	armed = 0;
	siglongjmp(back, number);
}

static void full(int number, siginfo_t *info, void *context)
{
	char here;

	(void)number, (void)context;
	value = info->si_value.sival_int;
	on_other_stack = &here >= other_stack && &here < other_stack + 65536;
	handled++;
}

static void handle(void (*handler)(int), int flags)
{
	struct sigaction a = { .sa_handler = handler, .sa_flags = flags };

	sigaction(SIGUSR1, &a, NULL);
}

/* Until the wait is over: a signal that comes before it does not end it, the next one does. */
static void *pester(void *unused)
{
	while (!over) {
		pthread_kill(waiter, SIGUSR1);
		sched_yield();
	}
	return unused;
}

/* Three that end nothing, each when the one before was handled; then what is waited for. */
static void *pester_and_wake(void *wake)
{
	for (int i = 0; i < 3; i++) {
		int before = handled;
		pthread_kill(waiter, SIGUSR1);
		while (handled == before)
			sched_yield();
	}
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	if (wake)
		sem_post(wake);
	return NULL;
}

static pthread_t start(void *(*routine)(void *), void *argument)
{
	pthread_t thread;

	over = ready = 0;
	pthread_create(&thread, NULL, routine, argument);
	return thread;
}

#define ENDS(call)                                                                                 \
	do {                                                                                       \
		pthread_t other = start(pester, NULL);                                             \
		SAY_ERRNO(call);                                                                   \
		over = 1;                                                                          \
		pthread_join(other, NULL);                                                         \
	} while (0)

#define GOES_ON(call)                                                                              \
	do {                                                                                       \
		pthread_t other = start(pester_and_wake, &sem);                                    \
		SAY_ERRNO(call);                                                                   \
		pthread_join(other, NULL);                                                         \
	} while (0)

#define JUMPS(call)                                                                                \
	do {                                                                                       \
		pthread_t other = start(pester, NULL);                                             \
		if (sigsetjmp(back, 1) == 0) {                                                     \
			armed = 1;                                                                 \
			call;                                                                      \
			printf("%s came back\n", #call);                                           \
		}                                                                                  \
		over = 1;                                                                          \
		pthread_join(other, NULL);                                                         \
		printf("out of %s\n", #call);                                                      \
	} while (0)

static struct timespec tomorrow(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	time.tv_sec += 86400;
	return time;
}

static void end_all(int flags)
{
	struct timespec until = tomorrow(CLOCK_REALTIME), later = tomorrow(CLOCK_MONOTONIC);

	handle(count, flags);
	ENDS(sem_timedwait(&sem, &until));
	ENDS(sem_clockwait(&sem, CLOCK_MONOTONIC, &later));
	ENDS(nanosleep(&day, &left));
	SAY(left.tv_sec > 80000 && left.tv_sec <= 86400);
	ENDS(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &later, NULL));
	ENDS(clock_nanosleep(CLOCK_MONOTONIC, 0, &day, &left));
	SAY(left.tv_sec > 80000 && left.tv_sec <= 86400);
	ENDS(sleep(86400) > 80000);
	ENDS(usleep(4000000000u));
	ENDS(poll(NULL, 0, 86400000));
	struct timeval rest = { .tv_sec = 86400 };
	ENDS(select(0, NULL, NULL, NULL, &rest));
	SAY(rest.tv_sec > 80000 && rest.tv_sec <= 86400);
	ENDS(pselect(0, NULL, NULL, NULL, &day, NULL));
}

static int wait_changed(void)
{
	int rounds = 0;

	pthread_mutex_lock(&lock);
	while (!ready) {
		pthread_cond_wait(&changed, &lock);
		rounds++;
	}
	pthread_mutex_unlock(&lock);
	return rounds <= 1;
}

static void go_on(int flags)
{
	handle(count, flags);
	GOES_ON(wait_changed());
	SAY(sem_wait(&sem));
	pthread_t other = start(pester_and_wake, NULL);
	SAY_ERRNO(pthread_join(other, NULL));
}

static void jump_out(void)
{
	char byte;
	struct timespec until = tomorrow(CLOCK_REALTIME);

	handle(jump, 0);
	JUMPS(sem_wait(&sem));
	JUMPS(sem_timedwait(&sem, &until));
	JUMPS(sleep(86400));
	JUMPS(nanosleep(&day, NULL));
	JUMPS(read(ends[0], &byte, 1));
	JUMPS(for (;;) pause());
}

static void *queue(void *unused)
{
	pthread_sigqueue(waiter, SIGRTMIN, (union sigval){ .sival_int = 42 });
	while (!handled)
		sched_yield();
	sem_post(&sem);
	return unused;
}

/* The kernel takes the handler away when it delivers the signal, and only once. */
static void told(void)
{
	struct sigaction a = { .sa_sigaction = full,
			       .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_RESTART };
	stack_t stack = { .ss_size = 65536 };

	other_stack = stack.ss_sp =
		mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaltstack(&stack, NULL);
	sigaction(SIGRTMIN, &a, NULL);
	handled = 0;
	pthread_t other = start(queue, NULL);
	SAY(sem_wait(&sem));
	pthread_join(other, NULL);
	SAY(value);
	SAY(on_other_stack);
	sigaction(SIGRTMIN, NULL, &a);
	SAY(a.sa_handler == SIG_DFL);
	sigset_t mask;
	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	SAY(sigismember(&mask, SIGUSR1) || sigismember(&mask, SIGRTMIN));
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	waiter = pthread_self();
	sem_init(&sem, 0, 0);
	if (pipe(ends))
		return 1;
	handle(count, 0);
	ENDS(sem_wait(&sem));
	end_all(0);
	end_all(SA_RESTART);
	handle(count, SA_RESTART);
	GOES_ON(sem_wait(&sem));
	go_on(0);
	go_on(SA_RESTART);
	jump_out();
	told();
	return 0;
}
