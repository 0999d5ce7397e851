/*
 * Prints one line per event:
 *
 *	thread  index  ticks  operation  place  function  [expression and field in the source]
 */
#include "trace/dump.h"

#include "base/mem.h"
#include "trace/order.h"
#include "trace/print.h"

#include <inttypes.h>
#include <stdlib.h>

#define OPERATION_WIDTH 40

struct dump {
	const struct trace *trace;
	struct trace_symbols *symbols;
	const struct dump_range *range;
	uint64_t start; /* ticks at the start of the recording */
	FILE *out;
};

/* Prints a note. Notes have no line in the text form, but have a line here. */
static void print_note(FILE *out, const struct trace_event *ev)
{
	static const char *const stops[] = { "size limit", "no space", "write error" };
	static const char *const process[] = { "exit", "exec", "fork", "abort", "cancel" };

	switch (ev->kind) {
	case EV_STOP: fprintf(out, "stop: %s", ev->mode < 3 ? stops[ev->mode] : "?"); break;
	case EV_PROCESS:
		fprintf(out, "process: %s %" PRId64, ev->mode < 5 ? process[ev->mode] : "?",
			(int64_t)ev->number);
		break;
	case EV_UNMODELLED:
		fprintf(out, "unmodelled: %.*s", (int)ev->size, (const char *)ev->value);
		break;
	default: fputs(event_text(ev->kind), out);
	}
}

static void print_source_name(const struct dump *d, const struct trace_event *ev)
{
	const char *name = trace_site_name(d->trace, ev->site);
	const char *path = trace_site_path(d->trace, ev->site);

	if (name || path)
		fprintf(d->out, "  [%s%s%s]", name ? name : "", name && path ? " " : "",
			path ? path : "");
}

/*
 * Returns the ticks since the start of the recording. In a controlled recording, where times mean
 * nothing, returns the number of the step.
 */
static uint64_t shown_time(const struct dump *d, const struct trace_event *ev)
{
	if (trace_has_schedule(d->trace))
		return ev->step == TRACE_NO_STEP ? 0 : ev->step;
	return ev->time > d->start ? ev->time - d->start : 0;
}

static void print_event(const struct dump *d, const struct trace_event *ev)
{
	uint64_t at = shown_time(d, ev);
	long start;
	char *text = NULL;
	size_t size = 0;
	FILE *line = mem_stream(&text, &size);

	print_thread(line, d->trace, ev->stream);
	if (ev->index == TRACE_NO_INDEX)
		fprintf(line, "\t-\t%" PRIu64 "\t", at);
	else
		fprintf(line, "\t%" PRIu64 "\t%" PRIu64 "\t", ev->index, at);
	start = ftell(line);
	if (!print_operation(line, d->trace, d->symbols, ev))
		print_note(line, ev);
	fprintf(line, "%*s",
		(int)(start + OPERATION_WIDTH > ftell(line) ? start + OPERATION_WIDTH - ftell(line)
							    : 1),
		"");
	print_place(line, d->trace, d->symbols, ev);
	fputc(' ', line);
	print_function(line, d->trace, d->symbols, ev);
	mem_stream_close(line);
	fwrite(text, 1, size, d->out);
	free(text);
	print_source_name(d, ev);
	fputc('\n', d->out);
}

static bool in_range(const struct dump *d, const struct trace_event *ev)
{
	if (ev->index == TRACE_NO_INDEX)
		return d->range->from == 0 && d->range->to == UINT64_MAX;
	return ev->index >= d->range->from && ev->index <= d->range->to;
}

static bool dump_stream(const struct dump *d, struct err *err)
{
	uint32_t i = trace_find_stream(d->trace, d->range->stream);
	struct trace_cursor *cursor;
	struct trace_event ev;
	struct err stopped = { 0 };

	if (i == TRACE_NONE)
		return err_set(err, "the trace has no thread %" PRIu32, d->range->stream);
	cursor = trace_cursor_open(d->trace, i);
	while (trace_next(cursor, &ev, &stopped)) {
		if (in_range(d, &ev))
			print_event(d, &ev);
		else if (ev.index != TRACE_NO_INDEX && ev.index > d->range->to)
			break;
	}
	trace_cursor_close(cursor);
	return stopped.text[0] ? err_set(err, "%s", stopped.text) : true;
}

static bool dump_all(const struct dump *d, struct err *err)
{
	struct trace_order *order = trace_order_open(d->trace);
	struct trace_event ev;
	bool ok;

	while (trace_order_next(order, &ev)) {
		if (in_range(d, &ev))
			print_event(d, &ev);
	}
	ok = !trace_order_failure_count(order);
	if (!ok)
		err_set(err, "%s", trace_order_failure(order, 0));
	trace_order_close(order);
	return ok;
}

bool dump_events(const struct trace *trace, const struct dump_range *range, FILE *out,
		 struct err *err)
{
	const char *ticks = trace_meta(trace, "ticks");
	struct dump d = {
		.trace = trace,
		.symbols = trace_symbols_open(trace),
		.range = range,
		.start = ticks ? strtoull(ticks, NULL, 10) : 0,
		.out = out,
	};
	bool ok = range->stream == TRACE_NONE ? dump_all(&d, err) : dump_stream(&d, err);

	for (size_t i = 0; i < trace_symbols_problem_count(d.symbols); i++)
		fprintf(out, "# %s\n", trace_symbols_problem(d.symbols, i));
	trace_symbols_close(d.symbols);
	return ok;
}
