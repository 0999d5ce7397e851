/*
 * Export: one line per event, in the order of trace/order.h, after the lines that give the
 * addresses and initial values of names.
 */
#include "trace/export.h"

#include "base/map.h"
#include "base/sort.h"
#include "base/vec.h"
#include "trace/order.h"
#include "trace/print.h"
#include "trace/store.h"

#include <inttypes.h>
#include <string.h>

/* ---- lines of the thread "-" ----------------------------------------------------------------- */

/*
 * Collects the addresses that need an `at` line: in a text trace those that have one in the text,
 * in a recording those of all named variables that the events use.
 */
static void collect_named(const struct trace *trace, struct trace_symbols *symbols,
			  struct map *seen)
{
	struct trace_event ev;
	struct err err;

	for (size_t i = 0; i < trace->names.objects.count; i++) {
		if (trace->names.objects.items[i].given)
			map_put(seen, trace->names.objects.items[i].address, NULL);
	}
	for (uint32_t i = 0; i < trace_stream_count(trace) && !trace_is_text(trace); i++) {
		struct trace_cursor *cursor = trace_cursor_open(trace, i);

		while (trace_next(cursor, &ev, &err)) {
			if (trace_symbols_object(symbols, ev.address))
				map_put(seen, ev.address, NULL);
			if (ev.other && trace_symbols_object(symbols, ev.other))
				map_put(seen, ev.other, NULL);
		}
		trace_cursor_close(cursor);
	}
}

/* Prints the `at` lines. Without the addresses of names, overlaps of accesses would be lost. */
static void print_addresses(const struct trace *trace, struct trace_symbols *symbols, FILE *out)
{
	VEC(uint64_t) list = { 0 };
	struct map seen = { 0 };

	collect_named(trace, symbols, &seen);
	for (size_t i = 0; seen.slots && i <= seen.mask; i++) {
		if (seen.slots[i].key)
			*vec_push(&list) = seen.slots[i].key;
	}
	vec_sort(&list, sort_u64);
	for (size_t i = 0; i < list.count; i++) {
		fputs("-|at(", out);
		print_object(out, symbols, list.items[i]);
		fprintf(out, ",0x%" PRIx64 ")|\n", list.items[i]);
	}
	vec_free(&list);
	map_free(&seen);
}

static void print_initials(const struct trace *trace, struct trace_symbols *symbols, FILE *out)
{
	for (size_t i = 0; i < trace_initial_count(trace); i++) {
		struct trace_initial initial = trace_initial(trace, i);
		struct trace_event as_read = {
			.kind = EV_READ,
			.address = initial.address,
			.size = initial.size,
			.unit = initial.size,
			.value = initial.value,
		};

		/* The rest of init(x)=1 is printed like the rest of r(x)=1. */
		fputs("-|init", out);
		print_access_arguments(out, symbols, &as_read);
		fputs("|\n", out);
	}
}

/* ---- the whole trace ------------------------------------------------------------------------- */

bool export_text(const struct trace *trace, FILE *out, struct err *err)
{
	struct trace_symbols *symbols = trace_symbols_open(trace);
	struct trace_order *order = trace_order_open(trace);
	struct trace_event ev;
	bool ok;

	print_addresses(trace, symbols, out);
	print_initials(trace, symbols, out);
	if (trace_meta(trace, "points"))
		fputs("-|points|\n", out);
	while (trace_order_next(order, &ev)) {
		if (ev.index == TRACE_NO_INDEX && ev.kind != EV_HANDLER &&
		    ev.kind != EV_HANDLER_END)
			continue;
		print_thread(out, trace, ev.stream);
		fputc('|', out);
		print_operation(out, trace, symbols, &ev);
		fputc('|', out);
		print_place(out, trace, symbols, &ev);
		fputc('\n', out);
	}
	ok = !trace_order_failure_count(order);
	if (!ok)
		err_set(err, "%s", trace_order_failure(order, 0));
	trace_order_close(order);
	trace_symbols_close(symbols);
	return ok;
}
