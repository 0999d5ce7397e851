/* Finds the last events of threads: reads every stream to its end. */
#include "report/last.h"

static void add_last_event(const struct trace *trace, uint32_t i, bool aborted,
			   struct report_observed *out)
{
	struct trace_cursor *cursor = trace_cursor_open(trace, i);
	struct event_id last = { 0 };
	bool any = false, ended = false, abort_seen = false;
	struct trace_event ev;
	struct err err;

	while (trace_next(cursor, &ev, &err)) {
		if (ev.kind == EV_PROCESS && ev.mode == EVENT_PROCESS_ABORT)
			abort_seen = true;
		if (ev.index == TRACE_NO_INDEX)
			continue;
		last = (struct event_id){ ev.stream, ev.index };
		any = true;
		ended = ev.kind == EV_END;
	}
	trace_cursor_close(cursor);
	if (any && (aborted ? abort_seen : !ended))
		*vec_push(&out->events) = last;
}

void last_add_events(const struct trace *trace, bool aborted, struct report_observed *out)
{
	for (uint32_t i = 0; i < trace_stream_count(trace); i++)
		add_last_event(trace, i, aborted, out);
}
