/*
 * Cancellation. A thread with asynchronous cancellation must not call most functions. It may still
 * access memory and use atomic operations, which the programmer does not regard as calls but which
 * enter the runtime. The thread must not be cancelled in the middle of runtime code that other
 * threads wait for (record_stripe_lock, thread_buffer_refill).
 */
#include "runtime/host/cancel.h"

#include "runtime/buffer/thread_buffer.h"
#include "runtime/host/libc_next.h"

#include <errno.h>

/*
 * What a thread does when it is cancelled happens after everything that other threads did before
 * pthread_cancel was called. Most of the places where a thread can be cancelled are not visible to
 * the runtime: any instruction, or any call of stdio. So the cancelling thread sets a flag in the
 * cancelled thread, and the cancelled thread records a SYNC before its next event
 * (deferred_event.c). The SYNC is omitted if that event follows a cancellation point that is
 * visible (unknown_wait.h). While the thread has cancellation disabled, nothing is deferred.
 */
static void enter_runtime_soon(void)
{
	if (thread_buffer_self.cancelled)
		thread_buffer_hurry(__sooth_lane);
}

/*
 * If the thread is cancelled in the real function, this interposer does not return. The same holds
 * for pthread_setcanceltype.
 */
SOOTH_API int pthread_setcancelstate(int state, int *old)
{
	if (state == PTHREAD_CANCEL_ENABLE) {
		__atomic_store_n(&thread_buffer_self.uncancellable, false, __ATOMIC_SEQ_CST);
		enter_runtime_soon();
	}
	int result = real()->pthread_setcancelstate(state, old);
	if (result == 0)
		thread_buffer_self.uncancellable = state == PTHREAD_CANCEL_DISABLE;
	return result;
}

SOOTH_API int pthread_setcanceltype(int type, int *old)
{
	int result = real()->pthread_setcanceltype(type, old);

	if (result == 0)
		thread_buffer_self.asynchronous = type == PTHREAD_CANCEL_ASYNCHRONOUS;
	return result;
}

/*
 * Returns the address of another thread's copy of `mine`, a thread-local variable of the runtime.
 * Its distance from the pthread_t is the same in every thread.
 */
static void *same_variable_in(pthread_t thread, void *mine)
{
	return (char *)thread + ((char *)mine - (char *)pthread_self());
}

void cancel_announce(pthread_t thread)
{
	struct thread_buffer_self *self = same_variable_in(thread, &thread_buffer_self);
	struct wire_block **buffer = same_variable_in(thread, &__sooth_lane);

	__atomic_store_n(&self->cancelled, true, __ATOMIC_SEQ_CST);
	thread_buffer_hurry(__atomic_load_n(buffer, __ATOMIC_SEQ_CST));
}

/*
 * Disabling the cancellation state is not enough. pthread_cancel reads the state of the thread and
 * then sends a signal, and the handler of that signal in glibc 2.36 checks only the type: a thread
 * that disabled cancellation in between is cancelled anyway. Changing the type is not enough
 * either, because the runtime calls functions that are cancellation points, and each of them makes
 * the type asynchronous for a moment. So a pending signal must arrive first. The C library waits
 * for it at the end of each cancellation point, so this function calls a cancellation point that
 * has no other effect.
 */
static void wait_for_pending_signal(void)
{
	int error = errno;

	(void)!real()->read(-1, NULL, 0);
	errno = error;
}

struct cancel_before cancel_forbid(void)
{
	struct cancel_before before = { .type = PTHREAD_CANCEL_DEFERRED };

	if (__builtin_expect(thread_buffer_self.asynchronous, 0)) {
		real()->pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before.type);
		wait_for_pending_signal();
	}
	real()->pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before.state);
	return before;
}

void cancel_allow(struct cancel_before before)
{
	real()->pthread_setcancelstate(before.state, NULL);
	if (__builtin_expect(before.type == PTHREAD_CANCEL_ASYNCHRONOUS, 0))
		real()->pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
}
