/*
 * trace_check(): reads all events in a possible order (order.c), passes each event to the rules for
 * its kind (check_rules.c), and collects the messages.
 */
#include "trace/check.h"

#include "base/mem.h"
#include "trace/check_rules.h"
#include "trace/order.h"
#include "trace/print.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- messages -------------------------------------------------------------------------------- */

static char *format_message(struct check *c, const struct trace_event *ev, const char *format,
			    va_list args)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = mem_stream(&text, &size);

	print_thread(out, c->trace, ev->stream);
	if (ev->index != TRACE_NO_INDEX)
		fprintf(out, " event %" PRIu64, ev->index);
	if (trace_is_text(c->trace)) {
		fprintf(out, " (line %" PRIu64 ")", ev->time);
	} else {
		fputs(" (", out);
		print_place(out, c->trace, c->symbols, ev);
		fputc(')', out);
	}
	fputs(": ", out);
	vfprintf(out, format, args);
	mem_stream_close(out);
	return text;
}

char *check_message(struct check *c, const struct trace_event *ev, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = format_message(c, ev, format, args);
	va_end(args);
	return text;
}

static bool is_shown(const struct check_report *report, enum check_severity severity)
{
	return severity == CHECK_NOTE ? report->notes.count < CHECK_NOTES_SHOWN
				      : report->violations.count < CHECK_SHOWN;
}

void check_add(struct check *c, enum check_severity severity, char *text)
{
	struct check_report *report = c->report;

	if (!is_shown(report, severity))
		free(text);
	else if (severity == CHECK_NOTE)
		*vec_push(&report->notes) = text;
	else
		*vec_push(&report->violations) = text;
	if (severity == CHECK_NOTE)
		report->note_count++;
	else
		report->violation_count++;
}

void check_report(struct check *c, enum check_severity severity, const struct trace_event *ev,
		  const char *format, ...)
{
	char *text = NULL;
	va_list args;

	if (severity == CHECK_SURPRISE) {
		severity = c->stopped || c->may_be_lost ? CHECK_NOTE : CHECK_VIOLATION;
		c->may_be_lost -= severity == CHECK_NOTE && !c->stopped;
	}
	if (is_shown(c->report, severity)) {
		va_start(args, format);
		text = format_message(c, ev, format, args);
		va_end(args);
	}
	check_add(c, severity, text);
}

struct check_object *check_object(struct check *c, uint64_t address)
{
	bool fresh;
	uint64_t *i = map_put(&c->index, address, &fresh);

	if (fresh) {
		*vec_push(&c->objects) = (struct check_object){ .address = address };
		*i = c->objects.count;
	}
	return &c->objects.items[*i - 1];
}

/* ---- walking through all events -------------------------------------------------------------- */

static void check_event(struct check *c, const struct trace_event *ev)
{
	map_put(&c->seen, ev->stream, NULL);
	if (map_get(&c->joined, ev->stream) && ev->index != TRACE_NO_INDEX)
		check_violation(c, ev, "has an event after it was joined");
	check_awake(c, ev);
	check_handler(c, ev);
	if (trace_has_schedule(c->trace))
		check_sequence(c, ev);
	switch (event_group(ev->kind)) {
	case EG_ATOMIC: check_atomic(c, ev); break;
	case EG_MEMORY: check_memory(c, ev); break;
	case EG_THREAD: check_thread(c, ev); break;
	case EG_LOCK: check_lock(c, ev); break;
	case EG_CONDITION: check_condition(c, ev); break;
	case EG_SEMAPHORE: check_semaphore(c, ev); break;
	case EG_BARRIER: check_barrier(c, ev); break;
	case EG_ONCE: check_once(c, ev); break;
	case EG_NOTE:
		if (ev->kind == EV_STOP) {
			map_put(&c->gone, ev->stream, NULL);
			c->stopped = true;
		}
		break;
	case EG_ACCESS:
	case EG_CHANNEL: /* these kinds can happen in any order */
	case EG_FUNCTION: break;
	}
}

static void check_all_events(struct check *c)
{
	struct trace_order *order = trace_order_open(c->trace);
	struct trace_event ev;
	uint32_t last = TRACE_NONE;
	bool scheduled = trace_has_schedule(c->trace);
	uint64_t steps = TRACE_NO_STEP; /* steps so far in the stream of the last event */

	while (trace_order_next(order, &ev)) {
		c->report->events += ev.index != TRACE_NO_INDEX;
		if (trace_order_was_forced(order))
			check_surprise(
				c, &ev,
				"%s is not possible here: it needs an event that comes after it",
				event_name(ev.kind));
		/* Most events are accesses in the stream of the event before: no check needed. */
		if (event_group(ev.kind) != EG_ACCESS || ev.stream != last ||
		    trace_is_text(c->trace))
			check_event(c, &ev);
		if (scheduled && ev.stream != last)
			check_count_steps(c, last, steps);
		last = ev.stream;
		if (scheduled && ev.step != TRACE_NO_STEP)
			steps = ev.step + event_is_step(ev.kind);
		else
			steps = TRACE_NO_STEP;
	}
	check_count_steps(c, last, steps);
	for (size_t i = 0; i < trace_order_failure_count(order); i++) {
		const char *text = trace_order_failure(order, i);

		check_add(c, CHECK_VIOLATION, mem_copy_text(text, strlen(text)));
	}
	trace_order_close(order);
}

void trace_check(const struct trace *trace, struct check_report *report)
{
	struct check c = { .trace = trace, .report = report };

	*report = (struct check_report){ 0 };
	c.symbols = trace_symbols_open(trace);
	for (uint32_t i = 0; i < trace_stream_count(trace); i++)
		c.may_be_lost += !trace_stream(trace, i)->ended;
	for (size_t i = 0; i < trace_problem_count(trace); i++) {
		const char *text = trace_problem(trace, i);

		check_add(&c, CHECK_VIOLATION, mem_copy_text(text, strlen(text)));
	}
	check_all_events(&c);
	if (trace_has_schedule(trace))
		check_schedule(&c);
	check_settle_doubts(&c);
	trace_symbols_close(c.symbols);
	map_free(&c.index);
	map_free(&c.gone);
	map_free(&c.waiting);
	map_free(&c.waiting_with);
	map_free(&c.handling);
	map_free(&c.blocks);
	map_free(&c.created);
	map_free(&c.joined);
	map_free(&c.seen);
	map_free(&c.steps);
	vec_free(&c.objects);
}

void check_report_free(struct check_report *report)
{
	vec_free_all(&report->violations);
	vec_free_all(&report->notes);
}
