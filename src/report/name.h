/* Names of objects and sites in a report. The texts are valid until describe_close(). */
#ifndef REPORT_NAME_H
#define REPORT_NAME_H

#include "report/describe.h"

/*
 * Returns the name of a variable, lock, condition or other object: its name in the program or the
 * text trace; without one, the expression in the source at `event` (which may be NULL); without
 * that, the address.
 */
const char *name_object(struct describe *describe, uint64_t address,
			const struct trace_event *event);

/* Returns the name of a lock as it is written at the event `acquired`. */
const char *name_lock(struct describe *describe, uint64_t address, struct event_id acquired);

/*
 * name_expression() returns the expression in the source at an event, "o->refs". name_field()
 * returns struct and field, "table.refs". NULL: not known.
 */
const char *name_expression(struct describe *describe, const struct trace_event *event);
const char *name_field(struct describe *describe, const struct trace_event *event);

/* Returns the name of an event's object; for a join or create, the thread. */
const char *name_subject(struct describe *describe, const struct trace_event *event);

/* Returns "bank.c:12 (teller)", or the part of it that is known; "?" if nothing is. */
const char *name_site(struct describe *describe, const struct describe_frame *frame);

/* Returns the same for the event's frame that describe_innermost() finds; `one` may be NULL. */
const char *name_event_site(struct describe *describe, const struct described *one);

#endif
