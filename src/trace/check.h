/*
 * Is a trace well-formed? Everything decodes, and what the events say happened can have happened
 * in the order their sequence numbers give: see doc/trace-format.md for the rules.
 */
#ifndef TRACE_CHECK_H
#define TRACE_CHECK_H

#include "base/vec.h"
#include "trace/trace.h"

/* Violations make a trace bad; notes say what is unusual in a good one. */
struct check_report {
	VEC(char *) violations, notes; /* the first CHECK_SHOWN of each */
	uint64_t violation_count, note_count;
	uint64_t events;
};
#define CHECK_SHOWN 50
#define CHECK_NOTES_SHOWN 5

void trace_check(const struct trace *trace, struct check_report *report);
void check_report_free(struct check_report *report);

#endif
