/*
 * Checks whether a trace is well-formed: every record must be decodable, and the events must be
 * possible in the order that their sequence numbers give. doc/trace-format.md lists the rules.
 */
#ifndef TRACE_CHECK_H
#define TRACE_CHECK_H

#include "base/vec.h"
#include "trace/trace.h"

/* Violations make a trace invalid. Notes are about unusual events, which a valid trace may have. */
struct check_report {
	VEC(char *) violations, notes; /* messages: at most CHECK_SHOWN and CHECK_NOTES_SHOWN */
	uint64_t violation_count, note_count;
	uint64_t events;
};
#define CHECK_SHOWN 50
#define CHECK_NOTES_SHOWN 5

void trace_check(const struct trace *trace, struct check_report *report);
void check_report_free(struct check_report *report);

#endif
