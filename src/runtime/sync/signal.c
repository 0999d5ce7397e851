/*
 * Signal handlers. A program's handler is called by ours, which lets it write to a stream of its
 * own. What the program asks about its handlers is answered as if it were not so.
 */
#include "runtime/sync/signal.h"

#include "runtime/host/caller_instrumented.h"
#include "runtime/host/process.h"
#include "runtime/host/libc_next.h"
#include "runtime/server/resources.h"
#include "runtime/sched/sched.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <ucontext.h>

/* The two types of a handler. The kernel passes three arguments to either. */
union handler {
	sighandler_t plain;
	void (*full)(int, siginfo_t *, void *);
};

/* The program's handlers; what an entry holds counts only while ours is installed. */
static _Atomic sighandler_t handlers[NSIG];

/* What a thread brings upon itself, and where it does. */
static bool is_crash(int number)
{
	return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
	       number == SIGABRT || number == SIGTRAP || number == SIGSYS;
}

/* ---- calling a handler -------------------------------------------------------------------- */

/* A handler that runs, on its stack. */
struct frame {
	struct frame *outer;
	struct thread_buffer_interrupted interrupted;
	bool tears;   /* under control: who jumps out of it leaves steps that no record tells of */
	bool outside; /* … it cut in on a call that is made outside, and goes back there */
};
static SOOTH_TLS struct frame *innermost;

/* Also when the handler is left by an exception or the thread ends in it. */
static void leave(struct frame *frame)
{
	int error = errno;

	if (innermost != frame)
		return; /* it has called fork, and this is the child */
	innermost = frame->outer;
	thread_buffer_leave_handler(&frame->interrupted);
	if (frame->outside)
		sched_leave_handler();
	errno = error;
}

static bool tears(const void *context)
{
	const ucontext_t *interrupted = context;

	return sched_taking &&
	       (sched_is_at_work() ||
		caller_instrumented_is_own((uintptr_t)interrupted->uc_mcontext.gregs[REG_RIP]));
}

static void handle(int number, siginfo_t *info, void *context)
{
	union handler program = { .plain = atomic_load(&handlers[number]) };
	int error = errno;

	if (sched_taking && is_crash(number) && sched_skip_read(context))
		return;
	if (sched_taking && !is_crash(number)) {
		sched_disordered();
		if (sched_put_off(number, info, context))
			return;
	}
	if (!process_recording()) {
		program.full(number, info, context);
		return;
	}
	struct frame frame __attribute__((cleanup(leave))) = { .outer = innermost };
	frame.tears = tears(context);
	if (sched_taking && !is_crash(number))
		frame.outside = sched_enter_handler(number);
	thread_buffer_enter_handler(number, &frame.interrupted);
	innermost = &frame;
	errno = error;
	program.full(number, info, context);
}

sighandler_t signal_ours(void)
{
	return (union handler){ .full = handle }.plain;
}

void signal_after_fork(void)
{
	innermost = NULL;
}

/* ---- jumping out of a handler --------------------------------------------------------------- */

/* The stack pointer that a jump goes to: the library scrambles it with a secret of the thread. */
static uintptr_t target_stack(const struct __jmp_buf_tag *environment)
{
	uintptr_t stack = (uintptr_t)environment->__jmpbuf[6];

	__asm__("ror $17, %0\n\txor %%fs:0x30, %0" : "+r"(stack));
	return stack;
}

/* A handler's frames lie between where we are and its `struct frame`, on whatever stack. */
static void leave_handlers(const struct __jmp_buf_tag *environment)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (!innermost)
		return;
	uintptr_t target = target_stack(environment);
	bool jumped = false;
	while (innermost && !(target > here && target < (uintptr_t)innermost)) {
		if (innermost->tears)
			sched_log_abandon();
		innermost->outside = false;
		leave(innermost);
		jumped = true;
	}
	if (!jumped)
		return;
	thread_buffer_jumped();
	if (sched_taking)
		sched_jumped();
}

SOOTH_API void longjmp(struct __jmp_buf_tag environment[1], int value)
{
	leave_handlers(environment);
	real()->longjmp(environment, value);
	__builtin_unreachable();
}

SOOTH_API void _longjmp(struct __jmp_buf_tag environment[1], int value)
{
	leave_handlers(environment);
	real()->longjmp(environment, value);
	__builtin_unreachable();
}

SOOTH_API void siglongjmp(struct __jmp_buf_tag environment[1], int value)
{
	leave_handlers(environment);
	real()->longjmp(environment, value);
	__builtin_unreachable();
}

SOOTH_API void __longjmp_chk(struct __jmp_buf_tag environment[1], int value)
{
	leave_handlers(environment);
	real()->__longjmp_chk(environment, value);
	__builtin_unreachable();
}

/* ---- setting handlers ----------------------------------------------------------------------- */

static bool is_function(sighandler_t h)
{
	return h != SIG_DFL && h != SIG_IGN && h != SIG_ERR;
}

/*
 * Sets the entry of a signal, if it is one, with all signals blocked until `settle`: no handler of
 * this thread runs between the change of the table and that of the kernel. (One of another thread
 * may see the new handler a moment early.)
 */
struct change {
	int number;
	sighandler_t old;
	sigset_t mask;
};

static struct change change(int number, sighandler_t h)
{
	struct change c = { .number = number };
	sigset_t all;

	if (sched_taking && is_function(h) && !is_crash(number))
		sched_expect_others();

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &c.mask);
	if (number > 0 && number < NSIG) {
		c.old = atomic_load(&handlers[number]);
		if (is_function(h))
			atomic_store(&handlers[number], h);
	}
	return c;
}

static void settle(const struct change *c, bool done)
{
	int error = errno;

	if (!done && c->number > 0 && c->number < NSIG)
		atomic_store(&handlers[c->number], c->old);
	pthread_sigmask(SIG_SETMASK, &c->mask, NULL);
	errno = error;
}

SOOTH_API int sigaction(int number, const struct sigaction *restrict action,
			struct sigaction *restrict old)
{
	struct sigaction before, wanted = { .sa_handler = SIG_DFL };

	process_start();
	if (action)
		wanted = *action;
	struct change c = change(number, wanted.sa_handler);
	if (process_recording() && is_function(wanted.sa_handler))
		wanted.sa_handler = signal_ours();
	int result = real()->sigaction(number, action ? &wanted : NULL, &before);
	settle(&c, result == 0);
	resources_handlers_changed();
	if (result == 0 && old) {
		if (before.sa_handler == signal_ours())
			before.sa_handler = c.old;
		else if (sched_is_crash_handler(before.sa_handler))
			before = (struct sigaction){ .sa_handler = SIG_DFL };
		*old = before;
	}
	return result;
}

/* signal and its kin: they differ in which flags the real one sets. */
static sighandler_t set(__typeof__(signal) *real_signal, int number, sighandler_t h)
{
	process_start();
	bool wrapped = process_recording() && is_function(h);
	struct change c = change(number, h);
	sighandler_t before = real_signal(number, wrapped ? signal_ours() : h);
	settle(&c, before != SIG_ERR);
	resources_handlers_changed();
	return before == signal_ours() ? c.old : sched_is_crash_handler(before) ? SIG_DFL : before;
}

SOOTH_API sighandler_t signal(int number, sighandler_t h)
{
	return set(real()->signal, number, h);
}

SOOTH_API sighandler_t ssignal(int number, sighandler_t h)
{
	return set(real()->signal, number, h);
}

/* No header declares it any more. */
SOOTH_API sighandler_t bsd_signal(int number, sighandler_t h);
SOOTH_API sighandler_t bsd_signal(int number, sighandler_t h)
{
	return set(real()->signal, number, h);
}

SOOTH_API sighandler_t sysv_signal(int number, sighandler_t h)
{
	return set(real()->sysv_signal, number, h);
}

/* What `signal` is in a program compiled as strict X/Open. */
SOOTH_API sighandler_t __sysv_signal(int number, sighandler_t h)
{
	return set(real()->sysv_signal, number, h);
}
