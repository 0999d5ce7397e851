/*
 * Deferred events: an order that applies to whatever event the thread records next, if there is
 * one.
 *
 * Some library calls wait for other threads, by a lock or counter of the library, and then call
 * back into the program. For example, dlclose runs destructors if no other thread has the library
 * open. An ordering event after the call would come too late and one before it too early, and only
 * the library knows whether it waited at all. So the event is deferred until the thread records
 * something else:
 *
 *	deferred_event_expect(EV_SYNC, NULL, pc);
 *	real()->dlclose(library);
 *	deferred_event_forget();
 *
 * A cancelled thread has a deferred SYNC as well: see cancel.c.
 */
#ifndef RUNTIME_BUFFER_DEFERRED_EVENT_H
#define RUNTIME_BUFFER_DEFERRED_EVENT_H

#include "event/event.h"

#include <stdbool.h>
#include <stdint.h>

struct deferred_event {
	const void *object; /* RECEIVE: the channel (EVENT_CHANNEL_TOLD) */
	uintptr_t pc;
	uint8_t kind; /* EV_SYNC, EV_RECEIVE, or EV_NONE if no event is deferred */
};

/* An OPAQUE event that is deferred (opaque/opaque.h), besides any other deferred event. */
struct deferred_opaque {
	uintptr_t target; /* what was called */
	uintptr_t pc;	  /* 0: no event is deferred */
	bool again;	  /* it is deferred a second time when it has been recorded */
};

/* Defers an event. An event that is already deferred (by an outer call) is recorded now. */
void deferred_event_expect(enum event_kind kind, const void *object, uintptr_t pc);
void deferred_event_forget(void);

/* Records the deferred event, before a record or a segment. Preserves errno. */
void deferred_event_record(void);
/* Call when the next record is itself a SYNC. */
void deferred_event_is_done(void);

#endif
