/*
 * Signals in turn. A handler of the program is a part of the run like any other code: it runs when its
 * thread has the turn, not beside the one that has it, and never in the middle of the scheduler's work,
 * out of which it may jump away.
 *
 * So a signal that comes while the scheduler is at work in a thread, which includes waiting for the
 * turn, is put off: our handler takes it down, blocks all others in the thread, and returns. A thread
 * that stands can go on then whatever it stands before: it is given the turn for its handlers. It
 * sends itself the signal once more and lets signals in: so stack, mask and all that the handler is told are
 * the kernel's doing. Behind that it stands as before, or its wait has ended (EINTR).
 *
 * A thread that is outside is not the scheduler's: there the handler waits for the turn, and behind it
 * the thread goes outside again.
 *
 * Fibers get no signals but those that they send themselves (fiber_limits.c), and are not at work then.
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

#define SIGNALS_BYTES 8u /* a mask, as the kernel has it; the library's are longer */

/* What was put off: one for each thread, in which nothing more comes then. */
static struct put_off {
	int number;
	siginfo_t info;
	uint64_t mask;
} put_off[CONTROL_THREADS];

static uint64_t bit(int number)
{
	return 1ull << (number - 1);
}

/* All but faults, which cannot wait, and the C library's own. */
static uint64_t all_signals(void)
{
	return ~(bit(SIGSEGV) | bit(SIGBUS) | bit(SIGFPE) | bit(SIGILL) | bit(SIGTRAP) |
		 bit(SIGSYS) | bit(32) | bit(33));
}

bool sched_put_off(int number, const siginfo_t *info, void *context)
{
	struct sched_thread *t = sched_me;
	sigset_t *mask = &((ucontext_t *)context)->uc_sigmask;
	struct sigaction action = { 0 };

	if (!t || !t->busy || t->signalled || fiber_on())
		return false;
	int error = errno;
	struct put_off *p = &put_off[sched_number(t)];
	uint64_t all = all_signals();
	*p = (struct put_off){ .number = number };
	memcpy(&p->mask, mask, SIGNALS_BYTES);
	memcpy(mask, &all, SIGNALS_BYTES);
	/* Nobody sees what a handler is not told; nor does the kernel fill it in. */
	if (real()->sigaction(number, NULL, &action) == 0 && action.sa_flags & SA_SIGINFO)
		p->info = *info;
	else
		p->info = (siginfo_t){ .si_signo = number, .si_code = SI_TKILL };
	t->signalled = true;
	sched.signals++;
	sched.pokes++;
	sched.caught++;
	carrier_kernel_stir(sched_number(t));
	errno = error;
	return true;
}

/* Those that came while it was at it come, too. */
static void take(void *data)
{
	struct sched_thread *t = data;
	struct put_off p = put_off[sched_number(t)];
	struct sigaction action = { 0 };
	int error = errno;

	t->signalled = false;
	sched.signals--;
	/* SA_RESETHAND: the kernel has taken the handler away, and will do so again. */
	if (real()->sigaction(p.number, NULL, &action) == 0 && action.sa_flags & SA_RESETHAND &&
	    action.sa_handler == SIG_DFL) {
		action.sa_handler = signal_ours();
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

void sched_take_signals(struct sched_thread *t)
{
	while (t->signalled)
		save_vectors_call(take, t);
}

/* Does the handler that has run end what it waits for? Signals restart no wait with a time. */
static bool ends_wait(const struct sched_thread *t)
{
	if (t->want.pause)
		return t->want.pause == SCHED_SLEEP && t->interrupted;
	if (t->want.kind != EV_DOWN || sched_object_can(t))
		return false;
	return t->want.how == EVENT_TIMED ? t->interrupted != 0
					  : t->interrupted & SCHED_DOES_NOT_RESTART;
}

bool sched_run_handlers(struct sched_thread *t, int error)
{
	uint32_t busy = t->busy;

	t->interrupted = 0;
	t->busy = 0;
	errno = error;
	sched_take_signals(t);
	if (sched.holder != sched_number(t))
		sched_return(); /* one has waited, and the turn was taken from it */
	t->busy = busy;
	return ends_wait(t);
}

bool sched_enter_handler(int number)
{
	struct sched_thread *t = sched_me;
	struct sigaction action = { 0 };

	sched.caught++;
	if (!t)
		return false;
	real()->sigaction(number, NULL, &action);
	t->interrupted |= action.sa_flags & SA_RESTART ? SCHED_RESTARTS : SCHED_DOES_NOT_RESTART;
	if (t->where != SCHED_OUTSIDE || t->busy || fiber_on())
		return false;
	sched_return();
	return true;
}

void sched_leave_handler(void)
{
	struct sched_thread *t = sched_me;

	if (t && t->where == SCHED_RUNS && sched.holder == sched_number(t))
		sched_go_outside(t);
}

#define LOOKS 1000u /* so many, and it gives way */

static void wait_in_steps(void *data)
{
	struct sched_thread *t = data;

	sched_go_outside(t);
	sched_return();
}

void sched_in_handler(void)
{
	struct sched_thread *t = sched_me;

	if (!t || !thread_buffer_self.depth || ++t->looks % LOOKS || t->busy || fiber_on())
		return;
	if (t->where == SCHED_RUNS && sched.holder == sched_number(t))
		save_vectors_call(wait_in_steps, t);
}

void sched_leave_in_handler(uint64_t site)
{
	if (thread_buffer_self.depth && !fiber_on())
		sched_leave(site);
}

/* Faults are not put off: they may have cut in anywhere. */
void sched_jumped(void)
{
	struct sched_thread *t = sched_me;

	if (!t || !t->busy)
		return;
	t->busy = 0;
	if (t->where == SCHED_STANDS && sched.holder == sched_number(t)) {
		sched_unstand(t);
		sched_put(t, SCHED_RUNS);
	}
	sched_take_signals(t);
}

/* ---- sending ------------------------------------------------------------------------------------- */

/*
 * All threads share a processor: whom a signal is for notices it as soon as the sender lets it. Who
 * has it blocked does not; nor may there be any.
 */
#define SENT_TRIES 20u

uint32_t sched_before_sending(void)
{
	return sched.caught;
}

void sched_sent(uint32_t before)
{
	int error = errno;

	for (unsigned i = 0; sched_on() && sched.caught == before && i < SENT_TRIES; i++)
		real()->sched_yield();
	errno = error;
}
