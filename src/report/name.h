/* What things are called in a report. Texts last until the report is closed. */
#ifndef REPORT_NAME_H
#define REPORT_NAME_H

#include "report/describe.h"

/*
 * A variable, lock, condition …: its name in the program or text; else what the source calls it
 * at `event`, which may be NULL; else its address.
 */
const char *name_object(struct describe *describe, uint64_t address,
			const struct trace_event *event);

/* The source's own words at an event ("o->refs"), and struct and field ("table.refs"); or NULL. */
const char *name_expression(struct describe *describe, const struct trace_event *event);
const char *name_field(struct describe *describe, const struct trace_event *event);

/* What an event is about: the object, or the thread it joins. */
const char *name_subject(struct describe *describe, const struct trace_event *event);

/* The innermost frame that is the program's own, and no library's; NULL: there is no stack. */
const struct describe_frame *name_frame(const struct described *one);

/* "bank.c:12 (teller)", or less if less is known; "?" if nothing is. */
const char *name_place(struct describe *describe, const struct describe_frame *frame);

#endif
