#include "runtime/simple_lock.h"

#include "runtime/object.h"

static _Atomic bool tried; /* somebody has tried one: releases are numbered by the stripe */

void simple_lock_take(const struct simple_lock *lock, uintptr_t pc)
{
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
	bool striped = tried && record_stripe_lock(lock->object);

	object_record(EV_RELEASE, pc, lock->object, record_sequence(lock->object), 0);
	lock->give(lock->object);
	if (striped)
		record_stripe_unlock(lock->object);
}
