/* The last events of the threads of a run that hung or failed. */
#ifndef REPORT_LAST_H
#define REPORT_LAST_H

#include "report/report.h"

/*
 * Appends to `out` the last event of each thread that has not ended or, with `aborted`, only that
 * of the thread that called abort.
 */
void last_add_events(const struct trace *trace, bool aborted, struct report_observed *out);

#endif
