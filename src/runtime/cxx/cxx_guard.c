/*
 * The guards of C++'s static local variables. They are recorded like pthread_once (once.c), by
 * three functions around the initialisation. Compiled code reads a guard's first byte itself and
 * calls __cxa_guard_acquire only while that byte is 0. If another thread is running the
 * initialisation, __cxa_guard_acquire waits for its end.
 *
 * The real functions belong to libstdc++. If a C program loads a C++ library, they are not found;
 * then this file does their work.
 */
#include "runtime/sync/sync_object.h"
#include "runtime/host/libc_next.h"
#include "runtime/sched/sched.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>

/* ---- the work of libstdc++ ------------------------------------------------------------------- */

#define DONE 1u
#define RUNNING (1u << 8)
#define AWAITED (1u << 16)

static _Atomic uint32_t *word_of(uint64_t *guard)
{
	return (_Atomic uint32_t *)(void *)guard;
}

static int acquire_guard(uint64_t *guard)
{
	_Atomic uint32_t *word = word_of(guard);

	if (real()->__cxa_guard_acquire)
		return real()->__cxa_guard_acquire(guard);
	for (;;) {
		uint32_t seen = 0;
		if (atomic_compare_exchange_strong(word, &seen, RUNNING))
			return 1;
		if (seen == DONE)
			return 0;
		if (seen == RUNNING &&
		    !atomic_compare_exchange_strong(word, &seen, RUNNING | AWAITED))
			continue;
		real()->syscall(SYS_futex, word, FUTEX_WAIT, RUNNING | AWAITED, NULL, NULL, 0);
	}
}

static void set_word(uint64_t *guard, uint32_t state)
{
	if (atomic_exchange(word_of(guard), state) & AWAITED)
		real()->syscall(SYS_futex, word_of(guard), FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void release_guard(uint64_t *guard)
{
	if (real()->__cxa_guard_release)
		real()->__cxa_guard_release(guard);
	else
		set_word(guard, DONE);
}

static void abort_guard(uint64_t *guard)
{
	if (real()->__cxa_guard_abort)
		real()->__cxa_guard_abort(guard);
	else
		set_word(guard, 0);
}

/* ---- the interposers ------------------------------------------------------------------------- */

/*
 * Restores `quiet`. Also runs when libstdc++ throws an exception because an initialisation
 * recursively needs itself.
 */
static void end_quiet(const bool *quiet)
{
	thread_buffer_self.quiet = *quiet;
}

/*
 * libstdc++ waits with `syscall`, which is interposed and must not be recorded as a separate event.
 */
static int acquire_quietly(uint64_t *guard)
{
	bool quiet __attribute__((cleanup(end_quiet), unused)) = thread_buffer_self.quiet;

	thread_buffer_self.quiet = true;
	return acquire_guard(guard);
}

SOOTH_API int __cxa_guard_acquire(uint64_t *guard)
{
	if (!record_on())
		return acquire_guard(guard);
	if (sched_on()) {
		struct sched_op want = sched_op(EV_ONCE_BEGIN, guard, RECORD_CALLER);
		/* a recursive initialisation must not wait for itself */
		want.lock = EVENT_LOCK_ERRORCHECK;
		sched_wait_until_enabled(&want);
	}
	int runs = acquire_quietly(guard);
	sync_object_record_next(runs ? EV_ONCE_BEGIN : EV_ONCE, RECORD_CALLER, guard, 0);
	return runs;
}

static void record_done(const uint64_t *guard, uintptr_t pc)
{
	struct record_fields fields = {
		.q = record_sequence(guard), .a = (uintptr_t)guard, .n = 1, .m = __ATOMIC_RELEASE
	};

	record_atomic(EV_ATOMIC_WRITE, pc, &fields, &(uint8_t){ DONE }, NULL);
}

/*
 * Sets the first byte of the guard. From then on, compiled code reads that byte and does not call.
 * The write is done here, while the stripe is held in which readers take their sequence numbers.
 * libstdc++ then writes the byte once more.
 */
static void set_done(uint64_t *guard, uintptr_t pc)
{
	sched_before(EV_ATOMIC_WRITE, guard, 1, pc);
	bool striped = record_stripe_lock(guard);
	record_done(guard, pc);
	__atomic_store_n((uint8_t *)guard, DONE, __ATOMIC_RELEASE);
	if (striped)
		record_stripe_unlock(guard);
}

SOOTH_API void __cxa_guard_release(uint64_t *guard)
{
	if (record_on()) {
		set_done(guard, RECORD_CALLER);
		sched_before(EV_ONCE_END, guard, 0, RECORD_CALLER);
		sync_object_record_next(EV_ONCE_END, RECORD_CALLER, guard, 0);
	}
	release_guard(guard);
}

SOOTH_API void __cxa_guard_abort(uint64_t *guard)
{
	if (record_on()) {
		sched_before(EV_ONCE_END, guard, 0, RECORD_CALLER);
		sync_object_record_next(EV_ONCE_END, RECORD_CALLER, guard, 0);
		record_unmodelled(RECORD_CALLER,
				  "static variable's initialisation left by an exception");
	}
	abort_guard(guard);
}
