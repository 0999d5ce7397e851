/*
 * Threads that are cancelled, and those that may be at any instruction. What such a thread may call is next to nothing,
 * but accesses and atomic operations are no calls to the program: it must not be torn out of ours
 * (record_stripe_lock, thread_buffer_refill) with something half done that others wait for.
 */
#include "runtime/host/cancel.h"

#include "runtime/buffer/thread_buffer.h"
#include "runtime/host/libc_next.h"

#include <errno.h>

/*
 * What a thread does when it is cancelled is behind what was done before pthread_cancel. Most of the places
 * where that may happen are not seen: any instruction, or any call of stdio. So it is told before, by
 * the one that cancels, and SYNC stands before the next that it records (deferred_event.c), unless it is behind a
 * cancellation point that is seen (unknown_wait.h). While it forbids its cancellation nothing is due.
 */
static void look_anew(void)
{
	if (thread_buffer_self.cancelled)
		thread_buffer_hurry(__sooth_lane);
}

/* Being cancelled, this may not return; nor may the next. */
SOOTH_API int pthread_setcancelstate(int state, int *old)
{
	if (state == PTHREAD_CANCEL_ENABLE) {
		__atomic_store_n(&thread_buffer_self.uncancellable, false, __ATOMIC_SEQ_CST);
		look_anew();
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

/* Variables of the runtime have the same distance from the pthread_t in each thread. */
static void *of_thread(pthread_t thread, void *mine)
{
	return (char *)thread + ((char *)mine - (char *)pthread_self());
}

void cancel_announce(pthread_t thread)
{
	struct thread_buffer_self *self = of_thread(thread, &thread_buffer_self);
	struct wire_block **lane = of_thread(thread, &__sooth_lane);

	__atomic_store_n(&self->cancelled, true, __ATOMIC_SEQ_CST);
	thread_buffer_hurry(__atomic_load_n(lane, __ATOMIC_SEQ_CST));
}

/*
 * The state alone will not do. Who cancels a thread looks at its state and then sends a signal, and
 * the handler of that signal in glibc 2.36 looks at the type only: a thread that has forbidden it in
 * between is cancelled all the same. The type alone will not do either, since we call what is a
 * cancellation point, and each makes it asynchronous for a moment. So a signal that is on its way must
 * come first: that is what the library waits for at the end of each cancellation point, of which the
 * one here does nothing else.
 */
static void let_signal_come(void)
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
		let_signal_come();
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
