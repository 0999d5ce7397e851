/*
 * Threads of the kernel as carriers: each waits on a word of its own.
 *
 * All are pinned to one processor: only one runs at a time, and handing over then costs a switch and
 * no wake-up of another processor (5 µs against 20 to 50 on a virtual machine).
 *
 * Who waits looks around now and then, for what nobody tells: a turn that nobody has (all the others
 * are in the kernel), or one whose owner waits there for something we do not see.
 */
#include "runtime/sched/carrier.h"

#include "runtime/sched/det_heap.h"
#include "runtime/host/libc_next.h"
#include "runtime/sched/sched_state.h"
#include "runtime/host/save_vectors.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>

#define TURN 1u /* it is this thread's turn */
#define STIR 2u /* it has a reason to look around: a signal */
static _Atomic uint32_t words[CONTROL_THREADS];

#define MS 1000000ull
#define IMPATIENT (2 * MS) /* between two looks, when nobody has the turn; the longer, the longer */
#define LOOK (20 * MS)	   /* by the one who gave the turn away last */
#define LOOK_SELDOM (1000 * MS) /* by all the others: there may be thousands */
static _Atomic uint32_t lookout;

/* 0: for ever. Who sees from outside that all do so knows that the program hangs. */
static uint64_t how_long(uint32_t self)
{
	if (sched.left_stuck)
		return 0;
	if (sched.holder == SCHED_NO_THREAD)
		return IMPATIENT << (sched.idle_decisions < 80 ? sched.idle_decisions / 16 : 5);
	return lookout == self ? LOOK : LOOK_SELDOM;
}

struct look {
	uint32_t self;
	bool taken;
};

/*
 * The program may have forbidden itself futexes (seccomp). Then nobody is woken: whoever waits looks at
 * its word again and again, and around. Those who slept before that look when their time is over.
 */
static _Atomic bool futexes_fail;
#define NAP (MS / 10)

static void wake(uint32_t to)
{
	if (real()->syscall(SYS_futex, &words[to], (long)FUTEX_WAKE_PRIVATE, 1L, 0L, 0L, 0L) < 0)
		futexes_fail = true;
}

/* Whoever has the turn and has not seen that yet was not woken: it does not sleep for anything else. */
static void look_around(void *data)
{
	struct look *look = data;
	uint32_t owner = sched.holder;

	if (owner < CONTROL_THREADS && words[owner] & TURN)
		wake(owner);
	else
		look->taken = sched_try_claim_turn(look->self);
}

/* Who waits may stand in front of an access, with live vector registers. */
static bool takes_turn(uint32_t self)
{
	struct look look = { self, false };

	save_vectors_call(look_around, &look);
	return look.taken;
}

/* Until its word may have changed. True: its time is over, and nobody has woken it. */
static bool sleep_at_word(uint32_t self)
{
	uint64_t ns = how_long(self);
	struct timespec time = { .tv_sec = (time_t)(ns / (1000 * MS)),
				 .tv_nsec = (long)(ns % (1000 * MS)) };

	if (!futexes_fail) {
		if (real()->syscall(SYS_futex, &words[self], (long)FUTEX_WAIT_PRIVATE, 0L,
				    ns ? &time : NULL, 0L, 0L) == 0)
			return false;
		if (errno == ETIMEDOUT || errno == EAGAIN || errno == EINTR)
			return errno == ETIMEDOUT;
		futexes_fail = true;
	}
	time = (struct timespec){ .tv_nsec = NAP };
	if (real()->syscall(SYS_nanosleep, &time, NULL, 0L, 0L, 0L, 0L) != 0)
		real()->syscall(SYS_sched_yield, 0L, 0L, 0L, 0L, 0L, 0L);
	return ns != 0;
}

static void wait_word(uint32_t self)
{
	for (;;) {
		uint32_t word = atomic_exchange(&words[self], 0);
		if (word & TURN)
			return;
		if ((word & STIR || sleep_at_word(self)) && takes_turn(self))
			return;
	}
}

void carrier_kernel_stir(uint32_t self)
{
	atomic_fetch_or(&words[self], STIR);
}

static void wake_word(uint32_t to)
{
	atomic_fetch_or(&words[to], TURN);
	wake(to);
}

static void pass(uint32_t from, uint32_t to)
{
	lookout = from;
	wake_word(to);
	wait_word(from);
}

static void pass_last(uint32_t from, uint32_t to)
{
	(void)from;
	wake_word(to);
}

static int create(uint32_t number, pthread_t *thread, const pthread_attr_t *attributes,
		  void *(*routine)(void *), void *argument)
{
	pthread_attr_t own;
	bool placed = det_heap_stack_attributes(number, attributes, &own);
	int result = real()->pthread_create(thread, placed ? &own : attributes, routine, argument);

	if (placed)
		pthread_attr_destroy(&own);
	return result;
}

static int join(uint32_t number, pthread_t thread, void **result)
{
	int status = real()->pthread_join(thread, result);
	int error = errno;

	if (status == 0)
		det_heap_stack_done(number);
	errno = error;
	return status;
}

static void start(void)
{
	cpu_set_t one;
	int cpu = sched_getcpu();

	CPU_ZERO(&one);
	CPU_SET(cpu < 0 ? 0 : cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

const struct carrier carrier_kernel = {
	.pass = pass,
	.pass_last = pass_last,
	.await_first = wait_word,
	.create = create,
	.join = join,
	.start = start,
};
