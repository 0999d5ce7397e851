/*
 * Records acquisitions and releases of simple locks. If a lock is busy, a REQUEST is recorded
 * before the ACQUIRE. Sequence numbers are taken while the thread holds the lock, as in mutex.c.
 */
#include "runtime/sync/simple_lock.h"

#include "runtime/sync/sync_object.h"
#include "runtime/sched/sched.h"

static _Atomic bool tried; /* a try function was called: releases are numbered under the stripe */

/*
 * In a controlled run the lock is free when sched_wait_until_enabled() returns. If it is not,
 * unrecorded code holds it (see mutex.c), and the thread waits outside the schedule.
 */
void simple_lock_acquire(const struct simple_lock_functions *real, void *lock, uintptr_t pc)
{
	bool controlled = sched_on();
	struct sched_op want;

	if (controlled) {
		want = sched_op(EV_ACQUIRE, lock, pc);
		sched_wait_until_enabled(&want);
	}
	if (real->try_lock(lock) != 0) {
		if (controlled)
			sched_leave(want.site);
		else
			sync_object_record_next(EV_REQUEST, pc, lock, 0);
		real->lock(lock);
		if (controlled)
			sched_return();
	}
	sync_object_record_next(EV_ACQUIRE, pc, lock, EVENT_PLAIN);
}

int simple_lock_try(const struct simple_lock_functions *real, void *lock, uintptr_t pc)
{
	if (!tried)
		tried = true;
	if (sched_on()) {
		struct sched_op want = sched_op(EV_ACQUIRE, lock, pc);
		want.how = EVENT_TRY;
		sched_wait_until_enabled(&want);
	}
	bool striped = record_stripe_lock(lock);
	int result = real->try_lock(lock);
	uint64_t number = record_sequence(lock);
	if (striped)
		record_stripe_unlock(lock);
	sync_object_record(result == 0 ? EV_ACQUIRE : EV_ACQUIRE_FAIL, pc, lock, number, EVENT_TRY);
	return result;
}

void simple_lock_release(const struct simple_lock_functions *real, void *lock, uintptr_t pc)
{
	sched_before(EV_RELEASE, lock, 0, pc);
	bool striped = tried && record_stripe_lock(lock);
	sync_object_record_next(EV_RELEASE, pc, lock, 0);
	real->unlock(lock);
	if (striped)
		record_stripe_unlock(lock);
}
