/*
 * Locks of OpenMP: critical sections and omp_lock_t. They are recorded as mutexes; a nestable lock
 * is a recursive one. Sequence numbers are taken while the thread holds the lock (sync/mutex.c).
 */
#include "runtime/openmp/openmp.h"

#include "runtime/openmp/openmp_library.h"
#include "runtime/host/interposer.h"
#include "runtime/sched/sched.h"
#include "runtime/sync/sync_object.h"

/*
 * The library does not say whether it will wait. So each acquisition without control has a request,
 * also if the lock is free.
 */
void openmp_lock_request(const void *lock, bool nested, uintptr_t pc)
{
	if (sched_on()) {
		struct sched_op want = sched_op(EV_ACQUIRE, lock, pc);
		want.lock = nested ? EVENT_LOCK_RECURSIVE : EVENT_LOCK_NORMAL;
		want.foreign = false;
		sched_wait_until_enabled(&want);
	} else {
		sync_object_record_next(EV_REQUEST, pc, lock, 0);
	}
	openmp_enter(false, pc);
}

void openmp_lock_acquired(const void *lock, uintptr_t pc)
{
	openmp_leave();
	sync_object_record_next(EV_ACQUIRE, pc, lock, EVENT_PLAIN);
}

void openmp_lock_release(const void *lock, uintptr_t pc)
{
	sched_before(EV_RELEASE, lock, 0, pc);
	sync_object_record_next(EV_RELEASE, pc, lock, 0);
}

/* ---- omp_lock_t and omp_nest_lock_t ---------------------------------------------------------- */

/* A try: `attempt` is the library's call, which returns 0 if the lock is held by another thread. */
#define TRY_LOCK(name)                                                                             \
	DEFINE(int, name, void *lock)                                                              \
	{                                                                                          \
		if (!record_on())                                                                  \
			return openmp_library()->name(lock);                                       \
		if (sched_on()) {                                                                  \
			struct sched_op want = sched_op(EV_ACQUIRE, lock, RECORD_CALLER);          \
			want.how = EVENT_TRY;                                                      \
			sched_wait_until_enabled(&want);                                           \
		}                                                                                  \
		return record_try(lock, openmp_library()->name, RECORD_CALLER);                    \
	}

/*
 * The number of a failed try must be lower than that of the release that follows. So all releases
 * take theirs under the stripe.
 */
static int record_try(void *lock, int (*attempt)(void *lock), uintptr_t pc)
{
	bool striped = record_stripe_lock(lock);
	int result = attempt(lock);
	uint64_t number = record_sequence(lock);

	if (striped)
		record_stripe_unlock(lock);
	sync_object_record(result ? EV_ACQUIRE : EV_ACQUIRE_FAIL, pc, lock, number, EVENT_TRY);
	return result;
}

static void release(void *lock, void (*unlock)(void *lock), uintptr_t pc)
{
	sched_before(EV_RELEASE, lock, 0, pc);
	bool striped = record_stripe_lock(lock);
	sync_object_record_next(EV_RELEASE, pc, lock, 0);
	unlock(lock);
	if (striped)
		record_stripe_unlock(lock);
}

#define LOCK(set, unset, nested)                                                                   \
	DEFINE(void, set, void *lock)                                                              \
	{                                                                                          \
		if (!record_on()) {                                                                \
			openmp_library()->set(lock);                                               \
			return;                                                                    \
		}                                                                                  \
		openmp_lock_request(lock, nested, RECORD_CALLER);                                  \
		openmp_library()->set(lock);                                                       \
		openmp_lock_acquired(lock, RECORD_CALLER);                                         \
	}                                                                                          \
	DEFINE(void, unset, void *lock)                                                            \
	{                                                                                          \
		if (record_on())                                                                   \
			release(lock, openmp_library()->unset, RECORD_CALLER);                     \
		else                                                                               \
			openmp_library()->unset(lock);                                             \
	}

LOCK(omp_set_lock, omp_unset_lock, false)
LOCK(omp_set_nest_lock, omp_unset_nest_lock, true)
TRY_LOCK(omp_test_lock)
TRY_LOCK(omp_test_nest_lock)

static void record_lifetime(enum event_kind kind, void *lock, enum event_lock type, uintptr_t pc)
{
	if (record_on())
		sync_object_record_next(kind, pc, lock, type);
}

/* A lock is initialised before it is used, and destroyed after that. */
#define INIT(name, parameters, type)                                                               \
	DEFINE(void, name, PARAMETERS parameters)                                                  \
	{                                                                                          \
		sched_before(EV_LOCK_INIT, lock, 0, RECORD_CALLER);                                \
		openmp_library()->name(ARGUMENTS parameters);                                      \
		record_lifetime(EV_LOCK_INIT, lock, type, RECORD_CALLER);                          \
	}
#define DESTROY(name)                                                                              \
	DEFINE(void, name, void *lock)                                                             \
	{                                                                                          \
		sched_before(EV_LOCK_DESTROY, lock, 0, RECORD_CALLER);                             \
		record_lifetime(EV_LOCK_DESTROY, lock, EVENT_LOCK_NORMAL, RECORD_CALLER);          \
		openmp_library()->name(lock);                                                      \
	}

INIT(omp_init_lock, (void *, lock), EVENT_LOCK_NORMAL)
INIT(omp_init_nest_lock, (void *, lock), EVENT_LOCK_RECURSIVE)
INIT(omp_init_lock_with_hint, (void *, lock, int, hint), EVENT_LOCK_NORMAL)
INIT(omp_init_nest_lock_with_hint, (void *, lock, int, hint), EVENT_LOCK_RECURSIVE)
DESTROY(omp_destroy_lock)
DESTROY(omp_destroy_nest_lock)
