/*
 * Writing runtime records into the calling thread's stream. Async-signal-safe, takes no lock,
 * never allocates, keeps errno. What a record carries is said by event.def.
 */
#ifndef RUNTIME_BUFFER_RECORD_H
#define RUNTIME_BUFFER_RECORD_H

#include "event/event.h"

#include <stddef.h>

/* The fields a kind does not list are ignored; the time is taken here, or with the number. */
struct record_fields {
	uint64_t q, a, b, n, m;
};

/*
 * May the calling thread record now? False when nothing is recorded in this process, when the
 * runtime itself is at work in this thread, and before a thread is known. An interposer that gets
 * false calls the real function and does nothing else.
 */
bool record_on(void);

/* By reference: copies of words that were just stored are waited for. */
void record_event(enum event_kind kind, uintptr_t pc, const struct record_fields *fields);
static inline void record(enum event_kind kind, uintptr_t pc, struct record_fields fields)
{
	record_event(kind, pc, &fields);
}

/*
 * A record with raw bytes. `record_open` returns where the `size` bytes go; the caller fills them
 * and calls `record_close`. At most RECORD_BYTES_MAX; longer contents are several records.
 * NULL: the stream had to stop just now; do the work without a record and do not close.
 */
#define RECORD_BYTES_MAX 4000
void *record_open(enum event_kind kind, uintptr_t pc, struct record_fields fields, size_t size);
void record_close(void);

/* The same at once, of a READ or WRITE. */
void record_access(enum event_kind kind, uintptr_t pc, const volatile void *at, const void *bytes,
		   size_t size, unsigned flags);

/* … of an ATOMIC_READ or ATOMIC_WRITE, or, with a new value, an ATOMIC_UPDATE: n is the size of each. */
void record_atomic(enum event_kind kind, uintptr_t pc, const struct record_fields *fields,
		   const void *value, const void *updated);

/* Of the calling thread's variables, what a new thread need not have cleared (fiber.h). */
void *record_scratch(size_t *bytes);

/*
 * The next sequence number for an object. Numbers of one object rise; they may skip. The record that
 * follows has the time of this moment: events with higher numbers come after it whatever their time
 * says, and times decide what was before a SYNC.
 */
uint64_t record_sequence(const volatile void *object);

/*
 * For operations that do not block and must be numbered in the order they happen (atomics,
 * signals, posts, failed tries): hold the object's stripe around the operation and take the number
 * inside. Never hold it around anything that can block. Returns false, and locks nothing, when
 * this thread holds a stripe already (a signal handler cut in): go on without.
 */
bool record_stripe_lock(const volatile void *object);
void record_stripe_unlock(const volatile void *object);

/* After record_stripe_lock a thread is not cancelled before its next record; or before this. */
void record_let_cancel(void);

/* The calling thread has been torn out of what it held a stripe for, or ends: gives it back. */
void record_stripe_abandon(void);

/* In a fork child: whoever held a stripe is not here. */
void record_after_fork(void);

/* Something seen that the model does not have; counted and named by `sooth trace stat`. */
void record_unmodelled(uintptr_t pc, const char *name);

#define RECORD_CALLER ((uintptr_t)__builtin_return_address(0))

#endif
