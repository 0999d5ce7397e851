/* Functions and macros that the interposers of several kinds of synchronisation objects share. */
#ifndef RUNTIME_SYNC_SYNC_OBJECT_H
#define RUNTIME_SYNC_SYNC_OBJECT_H

#include "runtime/buffer/thread_buffer.h"
#include "runtime/buffer/record.h"
#include "runtime/host/interposer.h"
#include "runtime/sched/sched.h"

#include <time.h>

/* Records an event that has only the object's sequence number, its address and perhaps a mode. */
static inline void sync_object_record(enum event_kind kind, uintptr_t pc,
				      const volatile void *object, uint64_t number, uint64_t mode)
{
	record(kind, pc, (struct record_fields){ .q = number, .a = (uintptr_t)object, .m = mode });
}

/*
 * Records an event that has only the object's next sequence number, its address and perhaps a mode.
 */
static inline void sync_object_record_next(enum event_kind kind, uintptr_t pc,
					   const volatile void *object, uint64_t mode)
{
	sync_object_record(kind, pc, object, record_sequence(object), mode);
}

/*
 * Records that a call was wrong (doc/prediction.md, Misuse). The caller makes the call
 * nevertheless. The record is not a step and orders nothing.
 */
static inline void sync_object_misuse(enum event_misuse which, uintptr_t pc,
				      const volatile void *object)
{
	record(EV_MISUSE, pc, (struct record_fields){ .a = (uintptr_t)object, .m = which });
}

/*
 * Does the real function accept the time? An interposer that tries before it waits must check that
 * first, because the real function may refuse the call.
 */
static inline bool sync_object_time_valid(const struct timespec *time)
{
	return time && (unsigned long)time->tv_nsec < 1000000000ul;
}

static inline bool sync_object_clock_valid(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

/*
 * Called before a condition or barrier is destroyed. In a controlled run the scheduler simulates
 * these objects, so only the scheduler knows whether a thread still waits at one. The library's
 * destroy function would block until no thread waits. This function records a misuse and then does
 * the same. `kind` is the event kind of the destruction. Does nothing unless sched_on().
 */
static inline void sync_object_destroy_controlled(enum event_kind kind, const volatile void *object,
						  uintptr_t pc)
{
	if (!sched_on())
		return;
	struct sched_op want = sched_op(kind, object, pc);
	sched_wait_until_enabled(&want);
	if (!sched_has_waiters(object))
		return;
	sync_object_misuse(EVENT_MISUSE_DESTROY_IN_USE, pc, object);
	want.lock = SCHED_DESTROY_WAITS;
	sched_wait_until_enabled(&want);
}

/*
 * An interposer that initialises or destroys `object`. It requests the turn, reports a misuse if
 * `in_use` is true, calls the real function and, if that returns 0, records `kind`. The last
 * arguments are the fields of the record besides the sequence number and the address.
 */
#define SYNC_OBJECT_LIFETIME(name, parameters, object, kind, in_use, ...)                          \
	SOOTH_API int name(PARAMETERS parameters)                                                  \
	{                                                                                          \
		sched_before(kind, object, 0, RECORD_CALLER);                                      \
		if (in_use)                                                                        \
			sync_object_misuse(EVENT_MISUSE_DESTROY_IN_USE, RECORD_CALLER, object);    \
		int result = real()->name(ARGUMENTS parameters);                                   \
		if (result == 0 && record_on())                                                    \
			record(kind, RECORD_CALLER,                                                \
			       (struct record_fields){ .q = record_sequence(object),               \
						       .a = (uintptr_t)(object),                   \
						       __VA_ARGS__ });                             \
		return result;                                                                     \
	}

#endif
