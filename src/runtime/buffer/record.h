/*
 * Writes runtime records into the calling thread's stream. Async-signal-safe; takes no lock, never
 * allocates, preserves errno. event.def says what a record contains.
 */
#ifndef RUNTIME_BUFFER_RECORD_H
#define RUNTIME_BUFFER_RECORD_H

#include "event/event.h"

#include <stddef.h>

/*
 * The fields of a record. Fields that its kind does not list are ignored. The record's time is not
 * among them: it is taken when the record is written, or with the sequence number.
 */
struct record_fields {
	uint64_t q, a, b, n, m;
};

/*
 * May the calling thread record now? False if nothing is recorded in this process, if the runtime
 * itself is working in this thread, and after the end of the stream, unless the thread takes turns.
 * An interposer that gets false calls the real function and does nothing else.
 */
bool record_on(void);

/*
 * `fields` is a pointer, because a copy of words that were just stored would have to wait for the
 * stores.
 */
void record_event(enum event_kind kind, uintptr_t pc, const struct record_fields *fields);
static inline void record(enum event_kind kind, uintptr_t pc, struct record_fields fields)
{
	record_event(kind, pc, &fields);
}

/*
 * A record with raw bytes. record_open() returns the address for the `size` bytes; the caller fills
 * them in and calls record_close(). At most RECORD_BYTES_MAX bytes; longer contents need several
 * records. Returns NULL if the stream had to stop: then do the work without a record, and do not
 * call record_close().
 */
#define RECORD_BYTES_MAX 4000
void *record_open(enum event_kind kind, uintptr_t pc, struct record_fields fields, size_t size);
void record_close(void);

/* The same in one call, for a READ or WRITE. */
void record_access(enum event_kind kind, uintptr_t pc, const volatile void *at, const void *bytes,
		   size_t size, unsigned flags);

/*
 * The same for an ATOMIC_READ or ATOMIC_WRITE or, with a new value, an ATOMIC_UPDATE; n is the size
 * of each value.
 */
void record_atomic(enum event_kind kind, uintptr_t pc, const struct record_fields *fields,
		   const void *value, const void *updated);

/*
 * The part of the calling thread's variables that need not be cleared for a new thread (fiber.h).
 */
void *record_scratch(size_t *bytes);

/*
 * Returns the next sequence number of an object. The numbers of one object increase; there may be
 * gaps. The record that follows gets the time of this call, because times decide which events were
 * before a SYNC. (Events of this object with higher numbers come after this one, whatever their
 * times.)
 */
uint64_t record_sequence(const volatile void *object);

/*
 * For operations that do not block and must be numbered in the order in which they happen (atomics,
 * signals, posts, failed tries): lock the object's stripe, do the operation, take the number, and
 * unlock the stripe. Never hold a stripe around anything that can block. Returns false, and locks
 * nothing, if this thread already holds a stripe (it is in a signal handler): do the operation
 * without the lock then.
 */
bool record_stripe_lock(const volatile void *object);
void record_stripe_unlock(const volatile void *object);

/*
 * After record_stripe_lock() the thread cannot be cancelled until its next record, or until this
 * call.
 */
void record_let_cancel(void);

/*
 * Releases the stripe that the calling thread holds, if any: the thread ends, or a jump has left
 * the operation.
 */
void record_stripe_abandon(void);

/*
 * Call in the child of a fork: frees all stripes, because the threads that held them do not exist
 * here.
 */
void record_after_fork(void);

/* Notes an operation that the model does not know. `sooth trace stat` counts and names them. */
void record_unmodelled(uintptr_t pc, const char *name);

#define RECORD_CALLER ((uintptr_t)__builtin_return_address(0))

#endif
