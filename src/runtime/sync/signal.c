/*
 * Signal handlers. The runtime installs its own handler in the kernel; that handler calls the
 * program's handler and gives it a separate stream. When the program asks for its handlers, it gets
 * the results that it would get without the runtime.
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

/* The two types of a handler. The kernel passes three arguments to both. */
union handler {
	sighandler_t plain;
	void (*full)(int, siginfo_t *, void *);
};

/*
 * The program's handlers, indexed by signal. An entry is valid only while the runtime's handler is
 * installed for that signal.
 */
static _Atomic sighandler_t handlers[NSIG];

/* Is it a signal that a thread causes itself, by the instruction that it executes? */
static bool is_crash(int number)
{
	return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
	       number == SIGABRT || number == SIGTRAP || number == SIGSYS;
}

/* ---- calling a handler ----------------------------------------------------------------------- */

/* A handler of the program that is running. This struct is on the handler's stack. */
struct handler_frame {
	struct handler_frame *outer;
	struct thread_buffer_interrupted interrupted;
	bool leaves_steps; /* controlled run: if the handler jumps away, steps get no record */
	bool outside;	   /* controlled run: it interrupted a call outside the schedule */
};
static SOOTH_TLS struct handler_frame *innermost_handler;

/* Ends a handler. Also runs when an exception leaves the handler, or when the thread ends in it. */
static void leave_handler(struct handler_frame *frame)
{
	int error = errno;

	if (innermost_handler != frame)
		return; /* the handler has called fork, and this is the child */
	innermost_handler = frame->outer;
	thread_buffer_leave_handler(&frame->interrupted);
	if (frame->outside)
		sched_leave_handler();
	errno = error;
}

static bool leaves_steps(const void *context)
{
	const ucontext_t *interrupted = context;

	return sched_active &&
	       (sched_jump_would_lose_steps() ||
		caller_instrumented_is_own((uintptr_t)interrupted->uc_mcontext.gregs[REG_RIP]));
}

static void handle_signal(int number, siginfo_t *info, void *context)
{
	union handler program = { .plain = atomic_load(&handlers[number]) };
	int error = errno;

	if (sched_active && is_crash(number) && sched_skip_read(context))
		return;
	if (sched_active && !is_crash(number)) {
		sched_mark_unordered();
		if (sched_defer_signal(number, info, context))
			return;
	}
	if (!process_recording()) {
		program.full(number, info, context);
		return;
	}
	struct handler_frame frame
		__attribute__((cleanup(leave_handler))) = { .outer = innermost_handler };
	frame.leaves_steps = leaves_steps(context);
	if (sched_active && !is_crash(number))
		frame.outside = sched_enter_handler(number);
	thread_buffer_enter_handler(number, &frame.interrupted);
	innermost_handler = &frame;
	errno = error;
	program.full(number, info, context);
}

sighandler_t signal_runtime_handler(void)
{
	return (union handler){ .full = handle_signal }.plain;
}

void signal_after_fork(void)
{
	innermost_handler = NULL;
}

/* ---- jumping out of a handler ---------------------------------------------------------------- */

/*
 * Returns the stack pointer that longjmp will restore. glibc stores it encrypted with a secret of
 * the thread.
 */
static uintptr_t target_stack(const struct __jmp_buf_tag *environment)
{
	uintptr_t stack = (uintptr_t)environment->__jmpbuf[6];

	__asm__("ror $17, %0\n\txor %%fs:0x30, %0" : "+r"(stack));
	return stack;
}

/*
 * Ends all handlers that the jump leaves. The frames of a running handler are between the current
 * frame and its `struct handler_frame`, on whatever stack it runs. If the target of the jump is
 * there, the jump stays inside the handler.
 */
static void leave_handlers(const struct __jmp_buf_tag *environment)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (!innermost_handler)
		return;
	uintptr_t target = target_stack(environment);
	bool jumped = false;
	while (innermost_handler && !(target > here && target < (uintptr_t)innermost_handler)) {
		if (innermost_handler->leaves_steps)
			sched_log_abandon();
		innermost_handler->outside = false;
		leave_handler(innermost_handler);
		jumped = true;
	}
	if (!jumped)
		return;
	thread_buffer_jumped();
	if (sched_active)
		sched_handlers_jumped();
}

/* An interposer that ends the handlers that the jump leaves, and then jumps by `real_name`. */
#define JUMP(name, real_name)                                                                      \
	SOOTH_API void name(struct __jmp_buf_tag environment[1], int value)                        \
	{                                                                                          \
		leave_handlers(environment);                                                       \
		real()->real_name(environment, value);                                             \
		__builtin_unreachable();                                                           \
	}

JUMP(longjmp, longjmp)
JUMP(_longjmp, longjmp)
JUMP(siglongjmp, longjmp)
JUMP(__longjmp_chk, __longjmp_chk)

/* ---- setting handlers ------------------------------------------------------------------------ */

static bool is_function(sighandler_t h)
{
	return h != SIG_DFL && h != SIG_IGN && h != SIG_ERR;
}

/*
 * A change of the table's entry for a signal. begin_change() changes the entry, if the signal
 * number is valid, and blocks all signals; finish_change() unblocks them. So no handler runs in
 * this thread between the change of the table and the change in the kernel. (A handler in another
 * thread may use the new entry a moment too early.)
 */
struct handler_change {
	int number;
	sighandler_t old;
	sigset_t mask;
};

static struct handler_change begin_change(int number, sighandler_t h)
{
	struct handler_change c = { .number = number };
	sigset_t all;

	if (sched_active && is_function(h) && !is_crash(number))
		sched_expect_outside_wakeups();

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &c.mask);
	if (number > 0 && number < NSIG) {
		c.old = atomic_load(&handlers[number]);
		if (is_function(h))
			atomic_store(&handlers[number], h);
	}
	return c;
}

static void finish_change(const struct handler_change *c, bool done)
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
	struct handler_change c = begin_change(number, wanted.sa_handler);
	if (process_recording() && is_function(wanted.sa_handler))
		wanted.sa_handler = signal_runtime_handler();
	int result = real()->sigaction(number, action ? &wanted : NULL, &before);
	finish_change(&c, result == 0);
	resources_handlers_changed();
	if (result == 0 && old) {
		if (before.sa_handler == signal_runtime_handler())
			before.sa_handler = c.old;
		else if (sched_is_crash_handler(before.sa_handler))
			before = (struct sigaction){ .sa_handler = SIG_DFL };
		*old = before;
	}
	return result;
}

/* The functions of signal's family differ only in the flags that the real functions set. */
static sighandler_t set_handler(__typeof__(signal) *real_signal, int number, sighandler_t h)
{
	process_start();
	bool wrapped = process_recording() && is_function(h);
	struct handler_change c = begin_change(number, h);
	sighandler_t before = real_signal(number, wrapped ? signal_runtime_handler() : h);
	finish_change(&c, before != SIG_ERR);
	resources_handlers_changed();
	return before == signal_runtime_handler() ? c.old
	       : sched_is_crash_handler(before)	  ? SIG_DFL
						  : before;
}

#define SIGNAL(name, real_name)                                                                    \
	SOOTH_API sighandler_t name(int number, sighandler_t h)                                    \
	{                                                                                          \
		return set_handler(real()->real_name, number, h);                                  \
	}

SIGNAL(signal, signal)
SIGNAL(ssignal, signal)
SIGNAL(sysv_signal, sysv_signal)
/* The name of `signal` in a program that is compiled as strict X/Open. */
SIGNAL(__sysv_signal, sysv_signal)
/* Declared here, because headers do not declare it any more. */
SOOTH_API sighandler_t bsd_signal(int number, sighandler_t h);
SIGNAL(bsd_signal, signal)
