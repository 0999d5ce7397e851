/* What the interposers of all synchronisation objects share. */
#ifndef RUNTIME_SYNC_SYNC_OBJECT_H
#define RUNTIME_SYNC_SYNC_OBJECT_H

#include "runtime/buffer/thread_buffer.h"
#include "runtime/buffer/record.h"

#include <time.h>

/* A record of a kind that has the object's number, its address and at most a mode. */
static inline void sync_object_record(enum event_kind kind, uintptr_t pc,
				      const volatile void *object, uint64_t number, uint64_t mode)
{
	record(kind, pc, (struct record_fields){ .q = number, .a = (uintptr_t)object, .m = mode });
}

/* A call that was wrong (doc/prediction.md, Misuse). It is passed on all the same: no step, no order. */
static inline void sync_object_misuse(enum event_misuse which, uintptr_t pc,
				      const volatile void *object)
{
	record(EV_MISUSE, pc, (struct record_fields){ .a = (uintptr_t)object, .m = which });
}

/*
 * Timed functions that first try without waiting must refuse what the real ones refuse before
 * they try.
 */
static inline bool sync_object_time_valid(const struct timespec *time)
{
	return time && (unsigned long)time->tv_nsec < 1000000000ul;
}

static inline bool sync_object_clock_valid(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

#endif
