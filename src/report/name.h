/* The names of objects and code sites in a report. Texts last until describe_close(). */
#ifndef REPORT_NAME_H
#define REPORT_NAME_H

#include "report/describe.h"

/*
 * A variable, lock, condition and so on: its name in the program or text trace; otherwise the
 * source's expression at `event`, which may be NULL; otherwise its address.
 */
const char *name_object(struct describe *describe, uint64_t address,
			const struct trace_event *event);

/* A lock, named as at the event that acquired it. */
const char *name_lock(struct describe *describe, uint64_t address, struct event_id acquired);

/* The source's expression at an event, "o->refs"; struct and field, "table.refs". Or NULL. */
const char *name_expression(struct describe *describe, const struct trace_event *event);
const char *name_field(struct describe *describe, const struct trace_event *event);

/* The object of an event; of a join or create, the thread. */
const char *name_subject(struct describe *describe, const struct trace_event *event);

/* The innermost frame that is not in a system header; NULL: there is no stack. */
const struct describe_frame *name_frame(const struct described *one);

/* "bank.c:12 (teller)", or as much of it as is known; "?" if nothing is. */
const char *name_site(struct describe *describe, const struct describe_frame *frame);

/* The same for the innermost such frame of an event; `one` may be NULL. */
const char *name_event_site(struct describe *describe, const struct described *one);

/* The last component of a path. */
const char *name_file(const char *path);

#endif
