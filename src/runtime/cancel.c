/*
 * Threads that may be cancelled at any instruction. What such a thread may call is next to nothing,
 * but accesses and atomic operations are no calls to the program: it must not be torn out of ours
 * (record_stripe_lock, lane_refill) with something half done that others wait for.
 */
#include "runtime/real.h"

SOOTH_API int pthread_setcanceltype(int type, int *old)
{
	int result = real()->pthread_setcanceltype(type, old);

	if (result == 0)
		lane_self.asynchronous = type == PTHREAD_CANCEL_ASYNCHRONOUS;
	return result;
}
