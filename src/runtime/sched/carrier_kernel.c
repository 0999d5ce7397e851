/*
 * Kernel threads as carriers. Each waits on a futex word of its own.
 *
 * All are pinned to one processor. Only one runs at a time, and handing over then costs a context
 * switch but no wake-up of another processor (5 µs instead of 20 to 50 on a virtual machine).
 *
 * A waiting thread *looks around* now and then: it checks for situations that no other thread
 * reports. Perhaps no thread has the turn, because all others are in the kernel. Or the thread that
 * has the turn is blocked in a call that the scheduler did not expect to block.
 */
#include "runtime/sched/carrier.h"

#include "runtime/sched/det_heap.h"
#include "runtime/host/libc_next.h"
#include "runtime/sched/sched_state.h"
#include "runtime/host/save_vectors.h"
#include "runtime/sched/virtual_time.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>

#define TURN 1u	   /* this thread has the turn */
#define RECHECK 2u /* this thread should look around: a signal arrived */
static _Atomic uint32_t words[CONTROL_THREADS];

#define MS 1000000ull
/* The time after which a waiting thread looks around ... */
#define RECHECK_IDLE (2 * MS)	   /* while no thread has the turn; the interval grows */
#define RECHECK_OFTEN (20 * MS)	   /* if this thread handed the turn over last */
#define RECHECK_SELDOM (1000 * MS) /* in other threads: there may be thousands */
static _Atomic uint32_t frequent_checker;

/*
 * Returns the time in ns until the thread looks around, or 0 for never. In a run that is left in a
 * deadlock, all threads wait without a timeout, so that an observer can see that the program hangs.
 */
static uint64_t recheck_interval(uint32_t self)
{
	if (sched.left_stuck)
		return 0;
	if (sched.holder == SCHED_NO_THREAD)
		return RECHECK_IDLE << (sched.idle_decisions < 80 ? sched.idle_decisions / 16 : 5);
	return frequent_checker == self ? RECHECK_OFTEN : RECHECK_SELDOM;
}

struct turn_claim {
	uint32_t self;
	bool claimed;
};

/*
 * The program may have forbidden itself futexes (seccomp). Then threads cannot be woken. A waiting
 * thread then polls its word every POLL_NS, and looks around. A thread that already sleeps starts
 * to poll when its timeout expires.
 */
static _Atomic bool futexes_fail;
#define POLL_NS (MS / 10)

static void wake_thread(uint32_t to)
{
	if (real()->syscall(SYS_futex, &words[to], (long)FUTEX_WAKE_PRIVATE, 1L, 0L, 0L, 0L) < 0)
		futexes_fail = true;
}

/*
 * If the thread with the turn has not seen its word yet, its wake-up was lost: wakes that thread
 * again. Otherwise tries to claim the turn.
 */
static void try_claim_or_wake(void *data)
{
	struct turn_claim *claim = data;
	uint32_t owner = sched.holder;

	if (owner < CONTROL_THREADS && words[owner] & TURN)
		wake_thread(owner);
	else
		claim->claimed = sched_try_claim_turn(claim->self);
}

/*
 * Returns true if the caller has claimed the turn. The caller may wait before an access, with live
 * vector registers.
 */
static bool look_around(uint32_t self)
{
	struct turn_claim claim = { self, false };

	save_vectors_call(try_claim_or_wake, &claim);
	return claim.claimed;
}

/*
 * Sleeps until the caller's word may have changed. Returns true if the caller should look around:
 * its time is over.
 */
static bool sleep_on_word(uint32_t self)
{
	uint64_t ns = recheck_interval(self);
	struct timespec time = virtual_time_timespec(ns);

	if (!futexes_fail) {
		if (real()->syscall(SYS_futex, &words[self], (long)FUTEX_WAIT_PRIVATE, 0L,
				    ns ? &time : NULL, 0L, 0L) == 0)
			return false;
		if (errno == ETIMEDOUT || errno == EAGAIN || errno == EINTR)
			return errno == ETIMEDOUT;
		futexes_fail = true;
	}
	time = (struct timespec){ .tv_nsec = POLL_NS };
	if (real()->syscall(SYS_nanosleep, &time, NULL, 0L, 0L, 0L, 0L) != 0)
		real()->syscall(SYS_sched_yield, 0L, 0L, 0L, 0L, 0L, 0L);
	return ns != 0;
}

static void wait_for_word(uint32_t self)
{
	for (;;) {
		uint32_t word = atomic_exchange(&words[self], 0);
		if (word & TURN)
			return;
		if ((word & RECHECK || sleep_on_word(self)) && look_around(self))
			return;
	}
}

void carrier_kernel_recheck(uint32_t self)
{
	atomic_fetch_or(&words[self], RECHECK);
}

static void give_word(uint32_t to)
{
	atomic_fetch_or(&words[to], TURN);
	wake_thread(to);
}

static void pass(uint32_t from, uint32_t to)
{
	frequent_checker = from;
	give_word(to);
	wait_for_word(from);
}

static void pass_last(uint32_t from, uint32_t to)
{
	(void)from;
	give_word(to);
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
	.await_turn = wait_for_word,
	.create = create,
	.join = join,
	.start = start,
};
