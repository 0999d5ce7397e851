/* Prints events in the syntax of the text form, driven by the tables of text.h. */
#include "trace/print.h"

#include "base/mem.h"
#include "trace/names.h"
#include "trace/point_text.h"
#include "trace/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define RESERVED "|,)@"

/* ---- names ----------------------------------------------------------------------------------- */

/*
 * Does the name look like an address, a comment or the thread "-"? Then its first character is
 * escaped.
 */
static bool looks_special(const char *name)
{
	return name[0] == '#' || !strcmp(name, "-") ||
	       (!strncmp(name, "0x", 2) && name[2] &&
		!name[2 + strspn(name + 2, "0123456789abcdefABCDEF")]);
}

static void print_name(FILE *out, const char *name)
{
	if (looks_special(name))
		fprintf(out, "%%%02X", (unsigned char)*name++);
	names_escape(out, name, strlen(name), RESERVED);
}

void print_thread(FILE *out, const struct trace *trace, uint32_t stream)
{
	const char *name = trace_thread_name(trace, stream);

	if (name)
		print_name(out, name);
	else
		fprintf(out, "T%" PRIu32, stream);
}

void print_object(FILE *out, struct trace_symbols *symbols, uint64_t address)
{
	const char *name = trace_symbols_object(symbols, address);

	if (name)
		print_name(out, name);
	else
		fprintf(out, "0x%" PRIx64, address);
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool is_repeated_byte(const struct trace_event *ev, const uint8_t *value)
{
	return ev->unit < ev->size ||
	       (value[0] == value[1] && !memcmp(value, value + 1, ev->size - 1));
}

/* Prints 1 to 8 bytes as a signed number; more as hex, or as a byte and a star if all are equal. */
static void print_value(FILE *out, const struct trace_event *ev, const uint8_t *value)
{
	uint64_t number = 0;

	if (ev->size <= 8) {
		unsigned shift = 64 - 8 * (unsigned)ev->size;

		for (unsigned i = (unsigned)ev->size; i-- > 0;)
			number = number << 8 | value[ev->unit < ev->size ? i % ev->unit : i];
		fprintf(out, "%" PRId64, (int64_t)(number << shift) >> shift);
	} else if (is_repeated_byte(ev, value)) {
		fprintf(out, "0x%02x*", value[0]);
	} else {
		fputs("0x", out);
		for (uint64_t i = ev->size; i-- > 0;)
			fprintf(out, "%02x", value[i]);
	}
}

/* ---- operations ------------------------------------------------------------------------------ */

void print_access_arguments(FILE *out, struct trace_symbols *symbols, const struct trace_event *ev)
{
	fputc('(', out);
	print_object(out, symbols, ev->address);
	if (ev->size != TEXT_SIZE)
		fprintf(out, "@%" PRIu64, ev->size);
	if (event_group(ev->kind) == EG_ATOMIC && ev->order != TEXT_SEQ_CST)
		fprintf(out, ",%s", text_order_name(ev->order));
	for (unsigned bit = 0; bit < TEXT_FLAGS; bit++) {
		if (ev->flags >> bit & 1)
			fprintf(out, ",%s", text_flag_name(bit));
	}
	fputc(')', out);
	if (!ev->value || !ev->size)
		return;
	fputc('=', out);
	if (ev->old) {
		print_value(out, ev, ev->old);
		fputc(',', out);
	}
	print_value(out, ev, ev->value);
}

static void print_point(FILE *out, const struct trace *trace, const struct trace_event *ev)
{
	struct trace_point point;
	char *text = NULL;
	size_t size = 0;
	FILE *line;

	if (!point_read_record(trace, ev, &point)) {
		fprintf(out, "call 0x%" PRIx64 "()", ev->address);
		return;
	}
	line = mem_stream(&text, &size);
	point_print(line, &point);
	mem_stream_close(line);
	names_escape(out, text, size, "|");
	free(text);
}

/* Prints "call f(a)" and the like: the text of a text trace, the point, or just the function. */
static void print_call(FILE *out, const struct trace *trace, const struct trace_event *ev)
{
	const char *call = trace_call_text(trace, ev->pc);
	struct trace_source_line place;

	fprintf(out, "%s ", event_text(ev->kind));
	if (ev->kind == EV_POINT && !trace_is_text(trace))
		print_point(out, trace, ev);
	else if (ev->kind == EV_PROBE || ev->kind == EV_POINT)
		names_escape(out, (const char *)ev->value, ev->size, "|");
	else if (call)
		names_escape(out, call, strlen(call), "|");
	else if (trace_site_lines(trace, ev->site, &place, 1))
		names_escape(out, place.function.text, (size_t)place.function.length, "|");
	else
		fprintf(out, "0x%" PRIx64, ev->pc);
	if (ev->kind == EV_ENTER && !call)
		fputs("()", out);
}

static void print_handler(FILE *out, const struct trace *trace, const struct trace_event *ev)
{
	uint32_t i = trace_find_stream(trace, ev->stream);
	uint32_t host = i == TRACE_NONE ? TRACE_NONE : trace_stream(trace, i)->host;

	fputs("handler(", out);
	if (host == TRACE_NONE)
		fputs("unknown", out);
	else
		print_thread(out, trace, host);
	fprintf(out, ",%" PRIu64 ")", ev->number);
}

static void print_begin(FILE *out, const struct trace_event *ev)
{
	fputs("begin", out);
	if (ev->address || ev->other)
		fprintf(out, "(0x%" PRIx64 ",0x%" PRIx64 ")", ev->address, ev->other);
}

static void print_misuse(FILE *out, const struct trace *trace, struct trace_symbols *symbols,
			 const struct trace_event *ev)
{
	fprintf(out, "misuse(%s,", text_misuse_name((unsigned)ev->mode));
	switch (ev->mode) {
	case EVENT_MISUSE_JOIN_TWICE:
	case EVENT_MISUSE_JOIN_DETACHED: print_thread(out, trace, (uint32_t)ev->number); break;
	case EVENT_MISUSE_CLOSED: fprintf(out, "%" PRIu64, ev->address - EVENT_FD); break;
	default: print_object(out, symbols, ev->address);
	}
	fputc(')', out);
}

bool print_operation(FILE *out, const struct trace *trace, struct trace_symbols *symbols,
		     const struct trace_event *ev)
{
	const struct text_row *row = text_find_row(ev->kind, ev->mode);

	if (!row)
		return false;
	switch (row->shape) {
	case TEXT_ACCESS:
	case TEXT_ATOMIC:
		fputs(row->op, out);
		print_access_arguments(out, symbols, ev);
		return true;
	case TEXT_CALL: print_call(out, trace, ev); return true;
	case TEXT_BEGIN: print_begin(out, ev); return true;
	case TEXT_HANDLER: print_handler(out, trace, ev); return true;
	case TEXT_DESCRIPTOR:
		fprintf(out, "%s(%" PRIu64 ")", row->op, ev->address - EVENT_FD);
		return true;
	case TEXT_MISUSE: print_misuse(out, trace, symbols, ev); return true;
	}
	fputs(row->op, out);
	if (row->shape == TEXT_BARE)
		return true;
	fputc('(', out);
	if (row->shape == TEXT_THREAD)
		print_thread(out, trace, (uint32_t)ev->number);
	else if (row->shape == TEXT_FENCE)
		fputs(text_order_name(ev->order), out);
	else
		print_object(out, symbols, ev->address);
	if (row->shape == TEXT_PAIR) {
		fputc(',', out);
		print_object(out, symbols, ev->other);
	} else if (row->shape == TEXT_NUMBERED) {
		fprintf(out, ",%" PRIu64,
			event_group(ev->kind) == EG_MEMORY ? ev->size : ev->number);
	}
	fputc(')', out);
	if (row->result)
		fprintf(out, "=%s", row->result);
	return true;
}

/*
 * Finds the source line of an event's pc. trace_symbols_find() expects a return address, but the pc
 * of a BEGIN is the start of the thread's function, so 1 is added to it.
 */
static bool find_source(struct trace_symbols *symbols, const struct trace_event *ev,
			struct trace_symbol *symbol)
{
	return ev->pc && trace_symbols_find(symbols, ev->pc + (ev->kind == EV_BEGIN), symbol, 1);
}

/* ---- places ---------------------------------------------------------------------------------- */

void print_place(FILE *out, const struct trace *trace, struct trace_symbols *symbols,
		 const struct trace_event *ev)
{
	const char *text = trace_place_text(trace, ev->pc);
	struct trace_symbol symbol;
	struct trace_source_line place;

	if (trace_is_text(trace)) {
		if (text)
			names_escape(out, text, strlen(text), "|");
	} else if (trace_site_lines(trace, ev->site, &place, 1)) {
		names_escape(out, place.file.text, (size_t)place.file.length, "|");
		fprintf(out, ":%" PRIu32, place.line);
	} else if (find_source(symbols, ev, &symbol) && symbol.file) {
		names_escape(out, symbol.file, strlen(symbol.file), "|");
		fprintf(out, ":%u", symbol.line);
	} else if (ev->pc) {
		fprintf(out, "0x%" PRIx64, ev->pc);
	}
}

void print_function(FILE *out, const struct trace *trace, struct trace_symbols *symbols,
		    const struct trace_event *ev)
{
	struct trace_symbol symbol;
	struct trace_source_line place;

	if (trace_is_text(trace))
		return;
	if (trace_site_lines(trace, ev->site, &place, 1))
		fprintf(out, "%.*s", place.function.length, place.function.text);
	else if (find_source(symbols, ev, &symbol) && symbol.function)
		fputs(symbol.function, out);
}
