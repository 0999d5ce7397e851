/*
 * Threads that may be cancelled at any instruction. What such a thread may call is next to nothing,
 * but accesses and atomic operations are no calls to the program: it must not be torn out of ours
 * (record_stripe_lock, lane_refill) with something half done that others wait for.
 */
#include "runtime/cancel.h"

#include "runtime/lane.h"
#include "runtime/real.h"

#include <errno.h>

SOOTH_API int pthread_setcanceltype(int type, int *old)
{
	int result = real()->pthread_setcanceltype(type, old);

	if (result == 0)
		lane_self.asynchronous = type == PTHREAD_CANCEL_ASYNCHRONOUS;
	return result;
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

	if (__builtin_expect(lane_self.asynchronous, 0)) {
		real()->pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before.type);
		let_signal_come();
	}
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before.state);
	return before;
}

void cancel_allow(struct cancel_before before)
{
	pthread_setcancelstate(before.state, NULL);
	if (__builtin_expect(before.type == PTHREAD_CANCEL_ASYNCHRONOUS, 0))
		real()->pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
}
