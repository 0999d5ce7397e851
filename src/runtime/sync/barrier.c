/*
 * Barriers. All ARRIVEs of a round are numbered before any PASS of it: the one before the real
 * wait, the other behind it.
 */
#include "runtime/sync/sync_object.h"
#include "runtime/host/libc_next.h"
#include "runtime/sched/sched.h"
#include "runtime/sync/destroy_wait.h"

#include <stdatomic.h>

/* ---- how many threads meet: known from init ----------------------------------------------- */

/*
 * Small, without a lock, and allowed to forget: an ARRIVE then says 0, "see the init". A barrier
 * is in one of the PLACES slots that follow its hash. Barriers are made and destroyed while
 * nobody else uses them, so only different ones meet here.
 */
#define SLOTS 1024u
#define PLACES 8u
static struct {
	_Atomic uintptr_t barrier;
	_Atomic unsigned count;
} table[SLOTS];

static unsigned slot(const pthread_barrier_t *barrier, unsigned i)
{
	return ((unsigned)((uintptr_t)barrier >> 3) * 2654435761u + i) % SLOTS;
}

static unsigned count_of(const pthread_barrier_t *barrier)
{
	for (unsigned i = 0; i < PLACES; i++) {
		if (table[slot(barrier, i)].barrier == (uintptr_t)barrier)
			return table[slot(barrier, i)].count;
	}
	return 0;
}

static void forget(const pthread_barrier_t *barrier)
{
	for (unsigned i = 0; i < PLACES; i++) {
		uintptr_t mine = (uintptr_t)barrier;
		atomic_compare_exchange_strong(&table[slot(barrier, i)].barrier, &mine, 0);
	}
}

static void remember(const pthread_barrier_t *barrier, unsigned count)
{
	forget(barrier);
	for (unsigned i = 0; i < PLACES; i++) {
		uintptr_t nobody = 0;
		if (atomic_compare_exchange_strong(&table[slot(barrier, i)].barrier, &nobody,
						   (uintptr_t)barrier)) {
			table[slot(barrier, i)].count = count;
			return;
		}
	}
}

/* ------------------------------------------------------------------------------------------- */

SOOTH_API int pthread_barrier_init(pthread_barrier_t *restrict barrier,
				   const pthread_barrierattr_t *restrict attributes, unsigned count)
{
	sched_before(EV_BARRIER_INIT, barrier, 0, RECORD_CALLER);
	int result = real()->pthread_barrier_init(barrier, attributes, count);

	if (result != 0)
		return result;
	remember(barrier, count);
	if (record_on())
		record(EV_BARRIER_INIT, RECORD_CALLER,
		       (struct record_fields){ .q = record_sequence(barrier),
					       .a = (uintptr_t)barrier,
					       .n = count });
	return 0;
}

/* As glibc has it: so many have come, so many of them to meetings that are over. */
struct inside {
	unsigned in, round, count, shared;
};

static const struct inside *inside_of(const pthread_barrier_t *barrier)
{
	return (const struct inside *)(const void *)barrier;
}

static bool is_awaited(const pthread_barrier_t *barrier)
{
	const struct inside *b = inside_of(barrier);

	return b->count && (b->in - b->round) % b->count;
}

/* Recorded before: the library waits in here for threads that are still on their way out. */
SOOTH_API int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
	forget(barrier);
	destroy_wait_in_turn(EV_BARRIER_DESTROY, barrier, RECORD_CALLER);
	if (record_on() && is_awaited(barrier))
		sync_object_misuse(EVENT_MISUSE_DESTROY_IN_USE, RECORD_CALLER, barrier);
	if (record_on())
		sync_object_record(EV_BARRIER_DESTROY, RECORD_CALLER, barrier,
				   record_sequence(barrier), 0);
	return real()->pthread_barrier_destroy(barrier);
}

/* The library's word is for a barrier that was made before anything was recorded. */
static unsigned how_many_meet(const pthread_barrier_t *barrier)
{
	unsigned count = count_of(barrier);

	return count ? count : inside_of(barrier)->count;
}

/* Other processes may come to it, which live in real time. */
static int pass_outside(pthread_barrier_t *barrier, uint64_t site)
{
	sched_leave(site);
	int result = real()->pthread_barrier_wait(barrier);
	sched_return();
	return result;
}

/* In turn: the scheduler plays it. The last to arrive is the serial one. */
static int wait_in_turn(pthread_barrier_t *barrier, uintptr_t pc)
{
	struct sched_want want = sched_want(EV_ARRIVE, barrier, pc);

	want.foreign = false;
	sched_take(&want);
	record(EV_ARRIVE, pc,
	       (struct record_fields){ .q = record_sequence(barrier),
				       .a = (uintptr_t)barrier,
				       .n = how_many_meet(barrier) });
	want.kind = EV_PASS;
	bool shared = inside_of(barrier)->shared, last = !shared && sched_can(&want);
	if (shared)
		last = pass_outside(barrier, want.site) == PTHREAD_BARRIER_SERIAL_THREAD;
	else
		sched_take(&want);
	sync_object_record(EV_PASS, pc, barrier, record_sequence(barrier), last);
	return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

SOOTH_API int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	if (!record_on())
		return real()->pthread_barrier_wait(barrier);
	uintptr_t pc = RECORD_CALLER;
	if (sched_on())
		return wait_in_turn(barrier, pc);
	record(EV_ARRIVE, pc,
	       (struct record_fields){ .q = record_sequence(barrier),
				       .a = (uintptr_t)barrier,
				       .n = count_of(barrier) });
	int result = real()->pthread_barrier_wait(barrier);
	sync_object_record(EV_PASS, pc, barrier, record_sequence(barrier),
			   result == PTHREAD_BARRIER_SERIAL_THREAD);
	return result;
}
