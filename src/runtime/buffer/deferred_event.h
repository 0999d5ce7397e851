/*
 * What orders a thread's next event, if there is one.
 *
 * Some calls of libraries wait for other threads, by a lock or a count of the library's own, and then
 * call back into the program: dlclose, which runs destructors if nobody else has the library open. Behind
 * the call would be too late for the order, before it too early, and only the library knows whether it
 * did anything at all. So it is due before whatever the thread records next:
 *
 *	deferred_event_expect(EV_SYNC, NULL, pc);
 *	real()->dlclose(library);
 *	deferred_event_forget();
 *
 * A cancelled thread has a SYNC due in the same way: see cancel.c.
 */
#ifndef RUNTIME_BUFFER_DEFERRED_EVENT_H
#define RUNTIME_BUFFER_DEFERRED_EVENT_H

#include "event/event.h"

#include <stdint.h>

struct deferred_event {
	const void *object; /* of a RECEIVE, told */
	uintptr_t pc;
	uint8_t kind; /* EV_SYNC, EV_RECEIVE; EV_NONE: nothing is */
};

/* What was due before is recorded now: a call in a call. */
void deferred_event_expect(enum event_kind kind, const void *object, uintptr_t pc);
void deferred_event_forget(void);

/* Before a record or a segment: records what is due. Keeps errno. */
void deferred_event_record(void);
/* The record is a SYNC itself. */
void deferred_event_is_done(void);

#endif
