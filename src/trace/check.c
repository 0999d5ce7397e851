#include "trace/check.h"

#include "base/mem.h"
#include "trace/check_rules.h"
#include "trace/order.h"
#include "trace/print.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- messages ----------------------------------------------------------------------------- */

static char *message(struct check *c, const struct trace_event *ev, const char *format,
		     va_list args)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		abort();
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
	fclose(out);
	return text;
}

char *check_message(struct check *c, const struct trace_event *ev, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = message(c, ev, format, args);
	va_end(args);
	return text;
}

void check_add_violation(struct check *c, char *text)
{
	c->report->violation_count++;
	if (c->report->violations.count < CHECK_SHOWN)
		*vec_push(&c->report->violations) = text;
	else
		free(text);
}

void check_add_note(struct check *c, char *text)
{
	c->report->note_count++;
	if (c->report->notes.count < CHECK_NOTES_SHOWN)
		*vec_push(&c->report->notes) = text;
	else
		free(text);
}

void check_surprise(struct check *c, const struct trace_event *ev, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = message(c, ev, format, args);
	va_end(args);
	if (c->stopped || c->may_be_lost) {
		c->may_be_lost -= !c->stopped;
		check_add_note(c, text);
	} else {
		check_add_violation(c, text);
	}
}

void check_violation(struct check *c, const struct trace_event *ev, const char *format, ...)
{
	va_list args;

	if (c->report->violations.count >= CHECK_SHOWN) {
		c->report->violation_count++;
		return;
	}
	va_start(args, format);
	check_add_violation(c, message(c, ev, format, args));
	va_end(args);
}

void check_note(struct check *c, const struct trace_event *ev, const char *format, ...)
{
	va_list args;

	if (c->report->notes.count >= CHECK_NOTES_SHOWN) {
		c->report->note_count++;
		return;
	}
	va_start(args, format);
	check_add_note(c, message(c, ev, format, args));
	va_end(args);
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

/* ---- all events --------------------------------------------------------------------------- */

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
	case EG_CHANNEL: /* any order will do */
	case EG_FUNCTION: break;
	}
}

static void run(struct check *c)
{
	struct trace_order *order = trace_order_open(c->trace);
	struct trace_event ev;
	uint32_t last = TRACE_NONE;
	bool scheduled = trace_has_schedule(c->trace);
	uint64_t steps = TRACE_NO_STEP; /* that the stream of the last event has so far */

	while (trace_order_next(order, &ev)) {
		c->report->events += ev.index != TRACE_NO_INDEX;
		if (trace_order_was_forced(order))
			check_surprise(c, &ev,
				       "%s cannot come here: it waits for what comes after it",
				       event_name(ev.kind));
		/* Most events are accesses of the stream that ran before: nothing to look up. */
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

		check_add_violation(c, mem_copy_text(text, strlen(text)));
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

		check_add_violation(&c, mem_copy_text(text, strlen(text)));
	}
	run(&c);
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
	for (size_t i = 0; i < report->violations.count; i++)
		free(report->violations.items[i]);
	for (size_t i = 0; i < report->notes.count; i++)
		free(report->notes.items[i]);
	vec_free(&report->violations);
	vec_free(&report->notes);
}
