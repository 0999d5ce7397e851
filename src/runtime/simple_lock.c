#include "runtime/simple_lock.h"

#include "runtime/object.h"
#include "runtime/turn.h"

static _Atomic bool tried; /* somebody has tried one: releases are numbered by the stripe */

/* In turn: it is free when we are let go on. If it is not (see mutex.c) we wait outside. */
static void take_in_turn(const struct simple_lock *lock, uintptr_t pc)
{
	struct turn_want want = turn_want(EV_ACQUIRE, lock->object, pc);

	turn_take(&want);
	if (lock->try(lock->object) != 0) {
		turn_leave(want.site);
		lock->wait(lock->object);
		turn_return();
	}
	object_record(EV_ACQUIRE, pc, lock->object, record_sequence(lock->object), EVENT_PLAIN);
}

void simple_lock_take(const struct simple_lock *lock, uintptr_t pc)
{
	if (turn_on()) {
		take_in_turn(lock, pc);
		return;
	}
	if (lock->try(lock->object) != 0) {
		object_record(EV_REQUEST, pc, lock->object, record_sequence(lock->object), 0);
		lock->wait(lock->object);
	}
	object_record(EV_ACQUIRE, pc, lock->object, record_sequence(lock->object), EVENT_PLAIN);
}

int simple_lock_try(const struct simple_lock *lock, uintptr_t pc)
{
	if (!tried)
		tried = true;
	if (turn_on()) {
		struct turn_want want = turn_want(EV_ACQUIRE, lock->object, pc);
		want.how = EVENT_TRY;
		turn_take(&want);
	}
	bool striped = record_stripe_lock(lock->object);
	int result = lock->try(lock->object);
	uint64_t number = record_sequence(lock->object);
	if (striped)
		record_stripe_unlock(lock->object);
	object_record(result == 0 ? EV_ACQUIRE : EV_ACQUIRE_FAIL, pc, lock->object, number,
		      EVENT_TRY);
	return result;
}

void simple_lock_give(const struct simple_lock *lock, uintptr_t pc)
{
	turn_before(EV_RELEASE, lock->object, 0, pc);
	bool striped = tried && record_stripe_lock(lock->object);
	object_record(EV_RELEASE, pc, lock->object, record_sequence(lock->object), 0);
	lock->give(lock->object);
	if (striped)
		record_stripe_unlock(lock->object);
}
