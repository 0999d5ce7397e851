/* The last that is known of threads: for runs that hung or failed. */
#ifndef REPORT_LAST_H
#define REPORT_LAST_H

#include "base/vec.h"
#include "order/window/window.h"

struct last_events {
	VEC(struct event_id) items;
};

/* The last event of each thread that did not end; with `aborted` only of the one that aborted. */
void last_find(const struct trace *trace, bool aborted, struct last_events *out);

#endif
