/* The events that a recorded program can have. Every stage reads this; event.def is the list. */
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

/* The numbers are stored in compiled programs (wire.h, EV_SITE): only append. */
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
	EF_BITFIELD = 2,     /* the access covers the whole unit that holds the bit-field */
	EF_INEXACT = 4,	     /* the value was read separately, next to the access */
	EF_CAS_FAIL = 8,     /* an atomic read by a compare-and-exchange that failed */
	EF_ENVIRONMENT = 16, /* written by the kernel or by code that is not recorded */
	/*
	 * a property reads the memory at which an argument points: this constrains the order like
	 * any read, but it is not an access of the program and not part of a race
	 */
	EF_LOOK = 32,
	/* the program declares races with this access as intended: not part of a race */
	EF_IGNORED = 64,
};
#define EVENT_NO_RACE (EF_LOOK | EF_IGNORED)
/* `m` of an atomic event: memory order (as in <stdatomic.h>) in the low byte, event_flag above. */
#define EVENT_ORDER_BITS 8

enum event_lock {
	EVENT_LOCK_NORMAL,
	EVENT_LOCK_RECURSIVE,
	EVENT_LOCK_ERRORCHECK,
	EVENT_LOCK_RW,
	/*
	 * robust, whatever its other kind: if the owner ends, another thread can acquire the lock
	 */
	EVENT_LOCK_ROBUST,
};
enum event_how { EVENT_PLAIN, EVENT_TRY, EVENT_TIMED };
enum event_channel {
	EVENT_CHANNEL_BYTES,
	EVENT_CHANNEL_TOLD,
	EVENT_CHANNEL_NOTHING, /* RECEIVE: found nothing */
	EVENT_CHANNEL_DEAF,    /* SEND: the last receiving end was closed */
};
#define EVENT_FD                                                                                   \
	(UINT64_C(1) << 60) /* base of the "addresses" of file descriptors: no memory is there */
/*
 * Base of the channels of OpenMP: no memory is there. The lowest four bits of a channel are an enum
 * event_openmp. A channel above EVENT_OPENMP_DEPEND belongs to an address on which tasks depend.
 */
#define EVENT_OPENMP (UINT64_C(1) << 61)
#define EVENT_OPENMP_DEPEND (EVENT_OPENMP + (UINT64_C(1) << 58))
enum event_openmp {
	/* of a region */
	EVENT_OPENMP_FORK,
	EVENT_OPENMP_JOIN,
	EVENT_OPENMP_BARRIER, /* and the next one */
	EVENT_OPENMP_ORDERED = 4,
	EVENT_OPENMP_DOACROSS,
	/* of a task */
	EVENT_OPENMP_START,
	EVENT_OPENMP_CHILDREN, /* the task's children send here when they end */
	/* of a taskgroup: its tasks send here when they end */
	EVENT_OPENMP_GROUP,
};
enum event_stop { EVENT_STOP_LIMIT, EVENT_STOP_NO_SPACE, EVENT_STOP_IO };
enum event_process {
	EVENT_PROCESS_EXIT,
	EVENT_PROCESS_EXEC,
	EVENT_PROCESS_FORK,
	EVENT_PROCESS_ABORT,
	EVENT_PROCESS_CANCEL /* not the end of the process: the thread of stream n is cancelled */
};

/* Misuse of threads and synchronisation objects (doc/prediction.md, Misuse). */
enum event_misuse {
	EVENT_MISUSE_NONE,
	EVENT_MISUSE_NOT_HELD,	     /* release of a lock that this thread does not hold */
	EVENT_MISUSE_DESTROY_IN_USE, /* destroyed while a thread holds it or waits for it */
	EVENT_MISUSE_DESTROYED,	     /* used after it was destroyed */
	EVENT_MISUSE_NOT_INIT,	     /* used before it was initialised */
	EVENT_MISUSE_JOIN_TWICE,
	EVENT_MISUSE_JOIN_DETACHED, /* joined, and detached before or at the same time */
	EVENT_MISUSE_HELD_AT_END,   /* a thread ended while it held a lock */
	EVENT_MISUSE_NO_RECHECK,    /* the condition of a wait is not checked again after it */
	EVENT_MISUSE_CLOSED,	    /* a descriptor used or closed after it was closed */
	EVENT_MISUSES
};

const char *event_name(enum event_kind kind);	/* "ATOMIC_READ" */
const char *event_text(enum event_kind kind);	/* "r" */
const char *event_fields(enum event_kind kind); /* "ptqanm*" */

/*
 * The fields of a kind as a bit set (event_field_set), if they come in this order; 0 for other
 * kinds.
 */
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
 * Can a record of this kind come from the call at an EV_SITE whose records concern `group`? A call
 * that leaves no record (free(NULL), or one that fails) has a site as well.
 */
bool event_fits_site(enum event_kind kind, unsigned group);

/*
 * Is a record of this kind a step of its thread (doc/controlled-runs.md)? The scheduler and the
 * trace reader both count by this list. A COPY is one step, although it is two events.
 */
bool event_is_step(enum event_kind kind);

#endif
