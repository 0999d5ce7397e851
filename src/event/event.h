/* What can happen in a recorded program. Read by every stage; event.def is the list. */
#ifndef EVENT_EVENT_H
#define EVENT_EVENT_H

#include <stdbool.h>
#include <stdint.h>

enum event_kind {
#define EVENT(name, text, group, fields) EV_##name,
#include "event/event.def"
#undef EVENT
	EV_COUNT
};

/* The name of an event: the stream that recorded it, and its index among that stream's records. */
struct event_id {
	uint32_t stream;
	uint64_t index;
};

/* Its numbers are in the rows of compiled programs (wire.h, EV_SITE): append. */
enum event_group {
	EG_NOTE,
	EG_ACCESS,
	EG_ATOMIC,
	EG_MEMORY,
	EG_FUNCTION,
	EG_THREAD,
	EG_LOCK,
	EG_CONDITION,
	EG_SEMAPHORE,
	EG_BARRIER,
	EG_ONCE,
	EG_CHANNEL,
};

/* Flags of an access (`flags` in a segment's element, `m` in a record). */
enum event_flag {
	EF_VOLATILE = 1,
	EF_BITFIELD = 2,     /* the access is of the whole unit that holds the bit-field */
	EF_INEXACT = 4,	     /* the value was read next to the access, not by it */
	EF_CAS_FAIL = 8,     /* an atomic read that was a failed compare-and-exchange */
	EF_ENVIRONMENT = 16, /* written by the kernel or by code we do not see */
	EF_LOOK = 32,	 /* a property's look at what an argument points at: binds the order as any
		       * read does, but is no access of the program, and no part of a race */
	EF_IGNORED = 64, /* the program says that what races with it is meant: no part of a race */
};
#define EVENT_NO_RACE (EF_LOOK | EF_IGNORED)
/* An atomic's `m`: memory order (as in <stdatomic.h>) in the low byte, event_flag above. */
#define EVENT_ORDER_BITS 8

enum event_lock {
	EVENT_LOCK_NORMAL,
	EVENT_LOCK_RECURSIVE,
	EVENT_LOCK_ERRORCHECK,
	EVENT_LOCK_RW,
	EVENT_LOCK_ROBUST, /* whatever else it is: who ends with it leaves it to the next */
};
enum event_how { EVENT_PLAIN, EVENT_TRY, EVENT_TIMED };
enum event_channel {
	EVENT_CHANNEL_BYTES,
	EVENT_CHANNEL_TOLD,
	EVENT_CHANNEL_NOTHING, /* RECEIVE: looked, and found nothing there */
	EVENT_CHANNEL_DEAF,    /* SEND: nothing goes in any more */
};
#define EVENT_FD (UINT64_C(1) << 60) /* where descriptors "lie": no memory is there */
enum event_stop { EVENT_STOP_LIMIT, EVENT_STOP_NO_SPACE, EVENT_STOP_IO };
enum event_process {
	EVENT_PROCESS_EXIT,
	EVENT_PROCESS_EXEC,
	EVENT_PROCESS_FORK,
	EVENT_PROCESS_ABORT,
	EVENT_PROCESS_CANCEL /* not its end: a thread is cancelled, n its stream */
};

/* What can be done wrong with threads and their objects (doc/prediction.md, Misuse). */
enum event_misuse {
	EVENT_MISUSE_NONE,
	EVENT_MISUSE_NOT_HELD,	     /* a release of what this thread does not hold */
	EVENT_MISUSE_DESTROY_IN_USE, /* destroyed while somebody holds it or waits at it */
	EVENT_MISUSE_DESTROYED,	     /* used after it was destroyed */
	EVENT_MISUSE_NOT_INIT,	     /* used before it was initialised */
	EVENT_MISUSE_JOIN_TWICE,
	EVENT_MISUSE_JOIN_DETACHED, /* joined, and detached before or meanwhile */
	EVENT_MISUSE_HELD_AT_END,   /* a thread ended with a lock */
	EVENT_MISUSE_NO_RECHECK,    /* what a wait was for is not looked at again behind it */
	EVENT_MISUSE_CLOSED,	    /* a descriptor used or closed after it was closed */
	EVENT_MISUSES
};

const char *event_name(enum event_kind kind);	/* "ATOMIC_READ" */
const char *event_text(enum event_kind kind);	/* "r" */
const char *event_fields(enum event_kind kind); /* "ptqanm*" */

/* The fields as a set, if they come in this order; 0 of a kind whose do not. */
enum event_field {
	EVENT_FIELD_P = 1,
	EVENT_FIELD_T = 2,
	EVENT_FIELD_Q = 4,
	EVENT_FIELD_A = 8,
	EVENT_FIELD_B = 16,
	EVENT_FIELD_N = 32,
	EVENT_FIELD_M = 64,
};
extern const uint8_t event_field_set[EV_COUNT];
enum event_group event_group(enum event_kind kind);

/*
 * Can a record of this kind be what the call at an EV_SITE left, whose records are about `group`? A call
 * that leaves none (free(NULL), or one that fails) has a site all the same.
 */
bool event_fits_site(enum event_kind kind, unsigned group);

/*
 * Is a record of this kind a step of its thread (doc/controlled-runs.md)? The one list of them: the
 * scheduler counts by it and so does the trace reader. A COPY is one step, although it is two events.
 */
bool event_is_step(enum event_kind kind);

#endif
