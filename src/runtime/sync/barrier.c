/*
 * Barriers. The sequence number of an ARRIVE is taken before the real wait and that of a PASS after
 * it. So all ARRIVEs of a round have lower numbers than any PASS of that round.
 */
#include "runtime/sync/sync_object.h"
#include "runtime/host/libc_next.h"
#include "runtime/sched/sched.h"

#include <stdatomic.h>

/* ---- how many threads a barrier waits for, as its init said ---------------------------------- */

/*
 * The counts of the barriers, in a small table without a lock. The table may lose a barrier; then
 * its ARRIVEs are recorded with a count of 0, which stands for the count in the BARRIER_INIT event.
 * A barrier is in one of the PROBES slots that start at its hash. A program creates and destroys a
 * barrier while no other thread uses it, so concurrent operations on the table are for different
 * barriers.
 */
#define SLOTS 1024u
#define PROBES 8u
static struct {
	_Atomic uintptr_t barrier;
	_Atomic unsigned count;
} table[SLOTS];

static unsigned slot_of(const pthread_barrier_t *barrier, unsigned i)
{
	return ((unsigned)((uintptr_t)barrier >> 3) * 2654435761u + i) % SLOTS;
}

static unsigned count_in_table(const pthread_barrier_t *barrier)
{
	for (unsigned i = 0; i < PROBES; i++) {
		if (table[slot_of(barrier, i)].barrier == (uintptr_t)barrier)
			return table[slot_of(barrier, i)].count;
	}
	return 0;
}

static void remove_from_table(const pthread_barrier_t *barrier)
{
	for (unsigned i = 0; i < PROBES; i++) {
		uintptr_t mine = (uintptr_t)barrier;
		atomic_compare_exchange_strong(&table[slot_of(barrier, i)].barrier, &mine, 0);
	}
}

static void add_to_table(const pthread_barrier_t *barrier, unsigned count)
{
	remove_from_table(barrier);
	for (unsigned i = 0; i < PROBES; i++) {
		uintptr_t none = 0;
		if (atomic_compare_exchange_strong(&table[slot_of(barrier, i)].barrier, &none,
						   (uintptr_t)barrier)) {
			table[slot_of(barrier, i)].count = count;
			return;
		}
	}
}

/* ---- initialising and destroying ------------------------------------------------------------- */

static void record_count(enum event_kind kind, const pthread_barrier_t *barrier, unsigned count,
			 uintptr_t pc)
{
	record(kind, pc,
	       (struct record_fields){
		       .q = record_sequence(barrier), .a = (uintptr_t)barrier, .n = count });
}

SOOTH_API int pthread_barrier_init(pthread_barrier_t *restrict barrier,
				   const pthread_barrierattr_t *restrict attributes, unsigned count)
{
	sched_before(EV_BARRIER_INIT, barrier, 0, RECORD_CALLER);
	int result = real()->pthread_barrier_init(barrier, attributes, count);

	if (result != 0)
		return result;
	add_to_table(barrier, count);
	if (record_on())
		record_count(EV_BARRIER_INIT, barrier, count, RECORD_CALLER);
	return 0;
}

/*
 * The layout of a barrier in glibc. `arrived`: threads that have arrived so far; `in_past_rounds`:
 * those of them that arrived in completed rounds.
 */
struct barrier_layout {
	unsigned arrived, in_past_rounds, count, shared;
};

static const struct barrier_layout *layout_of(const pthread_barrier_t *barrier)
{
	return (const struct barrier_layout *)(const void *)barrier;
}

static bool is_awaited(const pthread_barrier_t *barrier)
{
	const struct barrier_layout *b = layout_of(barrier);

	return b->count && (b->arrived - b->in_past_rounds) % b->count;
}

/*
 * The event is recorded before the real call, because that call waits for threads that are still
 * leaving the barrier.
 */
SOOTH_API int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
	remove_from_table(barrier);
	sync_object_destroy_controlled(EV_BARRIER_DESTROY, barrier, RECORD_CALLER);
	if (record_on() && is_awaited(barrier))
		sync_object_misuse(EVENT_MISUSE_DESTROY_IN_USE, RECORD_CALLER, barrier);
	if (record_on())
		sync_object_record_next(EV_BARRIER_DESTROY, RECORD_CALLER, barrier, 0);
	return real()->pthread_barrier_destroy(barrier);
}

/* ---- waiting --------------------------------------------------------------------------------- */

/*
 * Returns the barrier's count, even if it is not in the table because it was initialised before
 * recording began.
 */
static unsigned count_of(const pthread_barrier_t *barrier)
{
	unsigned count = count_in_table(barrier);

	return count ? count : layout_of(barrier)->count;
}

/* Waits at a barrier that is shared with other processes. Their threads arrive in real time. */
static int wait_in_real_time(pthread_barrier_t *barrier, uint64_t site)
{
	sched_leave(site);
	int result = real()->pthread_barrier_wait(barrier);
	sched_return();
	return result;
}

/*
 * In a controlled run the scheduler simulates the barrier. The thread that arrives last is the
 * serial thread.
 */
static int wait_controlled(pthread_barrier_t *barrier, uintptr_t pc)
{
	struct sched_op want = sched_op(EV_ARRIVE, barrier, pc);

	want.foreign = false;
	sched_wait_until_enabled(&want);
	record_count(EV_ARRIVE, barrier, count_of(barrier), pc);
	want.kind = EV_PASS;
	bool shared = layout_of(barrier)->shared, last = !shared && sched_is_enabled(&want);
	if (shared)
		last = wait_in_real_time(barrier, want.site) == PTHREAD_BARRIER_SERIAL_THREAD;
	else
		sched_wait_until_enabled(&want);
	sync_object_record_next(EV_PASS, pc, barrier, last);
	return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

SOOTH_API int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	if (!record_on())
		return real()->pthread_barrier_wait(barrier);
	uintptr_t pc = RECORD_CALLER;
	if (sched_on())
		return wait_controlled(barrier, pc);
	record_count(EV_ARRIVE, barrier, count_in_table(barrier), pc);
	int result = real()->pthread_barrier_wait(barrier);
	sync_object_record_next(EV_PASS, pc, barrier, result == PTHREAD_BARRIER_SERIAL_THREAD);
	return result;
}
