#include "runtime/sync/simple_lock.h"

#include "runtime/sync/sync_object.h"
#include "runtime/sched/sched.h"

static _Atomic bool tried; /* somebody has tried one: releases are numbered by the stripe */

/* In turn: it is free when we are let go on. If it is not (see mutex.c) we wait outside. */
static void take_in_turn(const struct simple_lock *lock, uintptr_t pc)
{
	struct sched_want want = sched_want(EV_ACQUIRE, lock->object, pc);

	sched_take(&want);
	if (lock->try(lock->object) != 0) {
		sched_leave(want.site);
		lock->wait(lock->object);
		sched_return();
	}
	sync_object_record(EV_ACQUIRE, pc, lock->object, record_sequence(lock->object),
			   EVENT_PLAIN);
}

void simple_lock_take(const struct simple_lock *lock, uintptr_t pc)
{
	if (sched_on()) {
		take_in_turn(lock, pc);
		return;
	}
	if (lock->try(lock->object) != 0) {
		sync_object_record(EV_REQUEST, pc, lock->object, record_sequence(lock->object), 0);
		lock->wait(lock->object);
	}
	sync_object_record(EV_ACQUIRE, pc, lock->object, record_sequence(lock->object),
			   EVENT_PLAIN);
}

int simple_lock_try(const struct simple_lock *lock, uintptr_t pc)
{
	if (!tried)
		tried = true;
	if (sched_on()) {
		struct sched_want want = sched_want(EV_ACQUIRE, lock->object, pc);
		want.how = EVENT_TRY;
		sched_take(&want);
	}
	bool striped = record_stripe_lock(lock->object);
	int result = lock->try(lock->object);
	uint64_t number = record_sequence(lock->object);
	if (striped)
		record_stripe_unlock(lock->object);
	sync_object_record(result == 0 ? EV_ACQUIRE : EV_ACQUIRE_FAIL, pc, lock->object, number,
			   EVENT_TRY);
	return result;
}

void simple_lock_give(const struct simple_lock *lock, uintptr_t pc)
{
	sched_before(EV_RELEASE, lock->object, 0, pc);
	bool striped = tried && record_stripe_lock(lock->object);
	sync_object_record(EV_RELEASE, pc, lock->object, record_sequence(lock->object), 0);
	lock->give(lock->object);
	if (striped)
		record_stripe_unlock(lock->object);
}
