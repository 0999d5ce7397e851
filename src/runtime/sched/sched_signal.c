/*
 * Signals in controlled runs. A handler of the program is part of the run like any other code. It
 * runs when its thread has the turn, not in parallel with the thread that has the turn. It never
 * runs in the middle of the scheduler's work, since it may jump away from there.
 *
 * So a signal that arrives while its thread is inside the scheduler, which includes waiting for the
 * turn, is deferred: our handler saves the signal, blocks all other signals in the thread, and
 * returns. A pending thread with a deferred signal is ready, whatever its operation is: it gets the
 * turn in order to run its handlers. The thread then sends the signal to itself again and unblocks
 * signals. So the kernel sets up the stack, the mask and everything else that the handler sees.
 * After the handler the thread is pending as before, or its wait has ended (EINTR).
 *
 * In a thread that is outside, the scheduler is not at work, so the signal is not deferred. The
 * handler itself waits for the turn there, and afterwards the thread goes outside again.
 *
 * Fibers get no signals except those they send to themselves (fiber_limits.c), and those do not
 * arrive inside the scheduler.
 */
#include "runtime/sched/sched_state.h"

#include "runtime/sched/carrier.h"
#include "runtime/sched/fiber.h"
#include "runtime/host/libc_next.h"
#include "runtime/sync/signal.h"
#include "runtime/host/save_vectors.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define SIGNALS_BYTES 8u /* size of the kernel's signal mask; the C library's sigset_t is larger */

/*
 * The deferred signal of each thread. There is at most one, since the thread then blocks all
 * others.
 */
static struct deferred {
	int number;
	siginfo_t info;
	uint64_t mask;
} deferred[CONTROL_THREADS];

static uint64_t signal_bit(int number)
{
	return 1ull << (number - 1);
}

/* All signals except faults, which cannot wait, and those that the C library uses itself. */
static uint64_t all_signals(void)
{
	return ~(signal_bit(SIGSEGV) | signal_bit(SIGBUS) | signal_bit(SIGFPE) |
		 signal_bit(SIGILL) | signal_bit(SIGTRAP) | signal_bit(SIGSYS) | signal_bit(32) |
		 signal_bit(33));
}

bool sched_defer_signal(int number, const siginfo_t *info, void *context)
{
	struct sched_thread *t = sched_me;
	sigset_t *mask = &((ucontext_t *)context)->uc_sigmask;
	struct sigaction action = { 0 };

	if (!t || !t->work_depth || t->signal_deferred || fiber_on())
		return false;
	int error = errno;
	struct deferred *p = &deferred[sched_number(t)];
	uint64_t all = all_signals();
	*p = (struct deferred){ .number = number };
	memcpy(&p->mask, mask, SIGNALS_BYTES);
	memcpy(mask, &all, SIGNALS_BYTES);
	/* Save the information only with SA_SIGINFO; otherwise the handler does not get it. */
	if (real()->sigaction(number, NULL, &action) == 0 && action.sa_flags & SA_SIGINFO)
		p->info = *info;
	else
		p->info = (siginfo_t){ .si_signo = number, .si_code = SI_TKILL };
	t->signal_deferred = true;
	sched.deferred_signals++;
	sched.notifications++;
	sched.signals_noticed++;
	carrier_kernel_recheck(sched_number(t));
	errno = error;
	return true;
}

/* Delivers the deferred signal. Signals that arrived in the meantime are delivered, too. */
static void deliver_deferred(void *data)
{
	struct sched_thread *t = data;
	struct deferred p = deferred[sched_number(t)];
	struct sigaction action = { 0 };
	int error = errno;

	t->signal_deferred = false;
	sched.deferred_signals--;
	/*
	 * With SA_RESETHAND, the kernel reset the action to the default when the signal first
	 * arrived. So our handler is installed again for the second delivery, which resets the
	 * action once more.
	 */
	if (real()->sigaction(p.number, NULL, &action) == 0 && action.sa_flags & SA_RESETHAND &&
	    action.sa_handler == SIG_DFL) {
		action.sa_handler = signal_runtime_handler();
		real()->sigaction(p.number, &action, NULL);
	}
	long pid = getpid(), tid = real()->syscall(SYS_gettid, 0L, 0L, 0L, 0L, 0L, 0L);
	if (real()->syscall(SYS_rt_tgsigqueueinfo, pid, tid, (long)p.number, &p.info, 0L, 0L) != 0)
		real()->syscall(SYS_tgkill, pid, tid, (long)p.number, 0L, 0L, 0L);
	errno = error;
	real()->syscall(SYS_rt_sigprocmask, (long)SIG_SETMASK, &p.mask, NULL, (long)SIGNALS_BYTES,
			0L, 0L);
	errno = error;
}

void sched_deliver_deferred(struct sched_thread *t)
{
	while (t->signal_deferred)
		save_vectors_call(deliver_deferred, t);
}

/* Does the handler that has run end the wait? A wait with a timeout is never restarted. */
static bool ends_wait(const struct sched_thread *t)
{
	if (t->op.pause)
		return t->op.pause == SCHED_SLEEP && t->interrupted;
	if (t->op.kind != EV_DOWN || sched_object_enabled(t))
		return false;
	return t->op.how == EVENT_TIMED ? t->interrupted != 0 : t->interrupted & SCHED_ENDS_WAIT;
}

bool sched_run_handlers(struct sched_thread *t, int error)
{
	uint32_t busy = t->work_depth;

	t->interrupted = 0;
	t->work_depth = 0;
	errno = error;
	sched_deliver_deferred(t);
	t->work_depth = busy;
	sched_keep_turn(t); /* a handler may have waited in the kernel */
	return ends_wait(t);
}

bool sched_enter_handler(int number)
{
	struct sched_thread *t = sched_me;
	struct sigaction action = { 0 };

	sched.signals_noticed++;
	if (!t)
		return false;
	real()->sigaction(number, NULL, &action);
	t->interrupted |= action.sa_flags & SA_RESTART ? SCHED_RESTARTS_WAIT : SCHED_ENDS_WAIT;
	if (t->state != SCHED_OUTSIDE || t->work_depth || fiber_on())
		return false;
	sched_return();
	return true;
}

void sched_leave_handler(void)
{
	struct sched_thread *t = sched_me;

	if (t && t->state == SCHED_RUNNING && sched.holder == sched_number(t))
		sched_go_outside(t);
}

#define HANDLER_OPS 1000u /* number of operations after which a handler lets other threads run */

static void let_others_run(void *data)
{
	struct sched_thread *t = data;

	sched_go_outside(t);
	sched_return();
}

void sched_in_handler(void)
{
	struct sched_thread *t = sched_me;

	if (!t || !thread_buffer_self.depth || ++t->handler_ops % HANDLER_OPS || t->work_depth ||
	    fiber_on())
		return;
	if (t->state == SCHED_RUNNING && sched.holder == sched_number(t))
		save_vectors_call(let_others_run, t);
}

void sched_leave_in_handler(uint64_t site)
{
	if (thread_buffer_self.depth && !fiber_on())
		sched_leave(site);
}

/*
 * Faults are not deferred, so the handler of a fault may have interrupted the scheduler anywhere.
 */
void sched_handlers_jumped(void)
{
	struct sched_thread *t = sched_me;

	if (!t || !t->work_depth)
		return;
	t->work_depth = 0;
	if (t->state == SCHED_PENDING && sched.holder == sched_number(t)) {
		sched_remove_pending(t);
		sched_set_state(t, SCHED_RUNNING);
	}
	sched_deliver_deferred(t);
}

/* ---- sending signals ------------------------------------------------------------------------- */

/*
 * All threads share one processor, so the receiver notices the signal as soon as the sender lets it
 * run. The tries are limited, because the receiver may have blocked the signal or may not exist.
 */
#define SENT_TRIES 20u

uint32_t sched_before_sending(void)
{
	return sched.signals_noticed;
}

void sched_after_sending(uint32_t before)
{
	int error = errno;

	for (unsigned i = 0; sched_on() && sched.signals_noticed == before && i < SENT_TRIES; i++)
		real()->sched_yield();
	errno = error;
}
