/*
 * Prints the rows of a witness (rows.h) in columns. The events of the finding, which are the next
 * ones, follow below.
 */
#include "report/columns.h"

#include "base/file.h"
#include "base/mem.h"
#include "report/lifetime.h"
#include "report/matched.h"
#include "report/message.h"
#include "report/misuse.h"
#include "report/name.h"
#include "report/rows.h"
#include "report/wrap.h"

#include <inttypes.h>
#include <string.h>

#define INDENT 4
#define SITE 24	  /* width of the site, at the right end of a line */
#define NARROW 15 /* if columns would be narrower, each row names its thread instead */

struct columns_table {
	struct describe *describe;
	const struct finding *finding;
	struct rows rows;
	FILE *out;
};

/* ---- steps ----------------------------------------------------------------------------------- */

static void print_value(FILE *out, const struct described *one, const uint8_t *bytes)
{
	uint64_t size = one->event.size, value = 0;

	if (size > 8)
		return;
	for (uint64_t i = size; i-- > 0;)
		value = value << 8 | bytes[i];
	fprintf(out, " %" PRId64, (int64_t)(value << (64 - 8 * size)) >> (64 - 8 * size));
}

static const char *step_verb(const struct trace_event *ev)
{
	switch (ev->kind) {
	case EV_READ:
	case EV_ATOMIC_READ: return "read";
	case EV_WRITE:
	case EV_ATOMIC_WRITE: return "write";
	case EV_ATOMIC_UPDATE: return "update";
	case EV_CREATE: return "create";
	case EV_ACQUIRE: return "lock";
	case EV_READ_ACQUIRE: return "read-lock";
	case EV_RELEASE:
	case EV_READ_RELEASE: return "unlock";
	case EV_ACQUIRE_FAIL: return ev->mode == EVENT_TIMED ? "time-out" : "trylock fails";
	case EV_READ_FAIL: return ev->mode == EVENT_TIMED ? "time-out" : "tryrdlock fails";
	case EV_WOKEN: return ev->mode ? "time-out" : "woken";
	case EV_SIGNAL: return "signal";
	case EV_BROADCAST: return "broadcast";
	case EV_SEM_INIT: return "init";
	case EV_DOWN_FAIL: return ev->mode == EVENT_TIMED ? "time-out" : "trywait fails";
	case EV_ARRIVE: return "arrive at";
	case EV_PASS: return "pass";
	case EV_ONCE_BEGIN: return "run once";
	case EV_ONCE_END: return "ran once";
	}
	return event_text(ev->kind);
}

/*
 * Prints a point (a function event) without its library, if its text is known. Otherwise returns
 * false.
 */
static bool print_point(struct describe *d, const struct trace_event *ev, FILE *out)
{
	struct event_id id = { ev->stream, ev->index };
	const struct described *one =
		event_group(ev->kind) == EG_FUNCTION ? describe_find(d, id) : NULL;
	const char *name = one && one->point ? strchr(one->point, ' ') : NULL, *library;

	if (!name)
		return false;
	fprintf(out, "%.*s ", (int)(name - one->point), one->point);
	library = name[1] == '"' ? strstr(name + 2, "\":") : NULL;
	fputs(library ? library + 2 : name + 1, out);
	return true;
}

/* Prints a step briefly, because columns are narrow: "lock m", "write x = 5". */
static void print_step(struct describe *d, const struct described *one, FILE *out)
{
	const struct trace_event *ev = &one->event;
	bool reads = ev->kind == EV_READ || ev->kind == EV_ATOMIC_READ;

	if (print_point(d, ev, out))
		return;
	fputs(step_verb(ev), out);
	if (ev->kind == EV_BEGIN || ev->kind == EV_END)
		return;
	fprintf(out, " %s", name_subject(d, ev));
	if (one->has_value && ev->size <= 8) {
		if (one->has_old)
			print_value(out, one, one->old);
		fputs(reads ? " ==" : one->has_old ? " ->" : " =", out);
		print_value(out, one, one->value);
	}
}

static const char *step_text(struct describe *d, const struct described *one)
{
	struct text_stream text;

	print_step(d, one, text_begin(&text));
	return text_end(&text, d);
}

/* ---- the table ------------------------------------------------------------------------------- */

static int column_width(const struct columns_table *t)
{
	int width = (WRAP_WIDTH - INDENT - SITE) / (int)t->rows.threads.count;

	return width > 36 ? 36 : width < NARROW ? 0 : width;
}

/* Prints a text, padded to `width`. Cuts it if it is too long, but not inside a UTF-8 character. */
static void print_cell(FILE *out, const char *text, int width)
{
	int length = (int)strlen(text), most = width - 1;

	if (length <= most) {
		fprintf(out, "%-*s", width, text);
		return;
	}
	int cut = most - 2;
	while (cut > 0 && ((unsigned char)text[cut] & 0xc0) == 0x80)
		cut--;
	fprintf(out, "%.*s..%*s", cut, text, width - cut - 2, "");
}

static void print_line(struct columns_table *t, uint32_t column, const char *text, const char *site)
{
	int width = column_width(t);
	char *line;
	size_t size;
	FILE *out = mem_stream(&line, &size);

	if (!width) {
		fprintf(out, "%-11s %-*s%s",
			describe_thread(t->describe, t->rows.threads.items[column]),
			WRAP_WIDTH - INDENT - SITE - 12, text, site ? site : "");
	} else {
		for (uint32_t i = 0; i < t->rows.threads.count; i++)
			print_cell(out, i == column ? text : "", width);
		if (site)
			fputs(site, out);
	}
	mem_stream_close(out);
	while (size && line[size - 1] == ' ')
		line[--size] = 0;
	fprintf(t->out, "%*s%s\n", INDENT, "", line);
	free(line);
}

/* Returns the site as "bank.c:12". */
static const char *short_site(struct describe *d, const struct trace_event *ev)
{
	struct describe_frame frame;

	if (!describe_site(d, ev, &frame) || !frame.file)
		return NULL;
	return describe_format(d, "%.*s:%u", SITE - 8, path_name(frame.file), frame.line);
}

static void print_event(struct columns_table *t, const struct described *one, const char *text)
{
	print_line(t, rows_column(&t->rows, one->event.stream), text,
		   short_site(t->describe, &one->event));
}

/* Prints an event that a pattern matches: ">> update: call g_hash_table_insert". */
static void print_pattern_row(struct columns_table *t, const struct finding_event *e)
{
	const struct described *one = describe_find(t->describe, e->id);

	print_line(t, rows_column(&t->rows, e->id.stream), matched_cell(t->describe, t->finding, e),
		   one ? short_site(t->describe, &one->event) : NULL);
}

/* Did the event happen before the schedule starts? */
static bool is_past(const struct finding *f, struct event_id id)
{
	for (size_t i = 0; i < f->start.count; i++) {
		if (f->start.items[i].stream == id.stream)
			return f->start.items[i].index > id.index;
	}
	return false;
}

static bool has_happened(const struct finding *f, struct event_id id)
{
	if (is_past(f, id))
		return true;
	for (size_t i = f->steps.count; i-- > 0;) {
		if (f->steps.items[i].stream == id.stream)
			return f->steps.items[i].index >= id.index;
	}
	return false;
}

/* Prints the end of a lifetime, or the use, as an event that comes next: ">> free p". */
static void print_use(struct columns_table *t, size_t event)
{
	const struct finding_event *e = &t->finding->events.items[event];
	struct text_stream text;

	fputs(">> ", text_begin(&text));
	lifetime_step(t->describe, t->finding, event, text.out);
	print_event(t, describe_find(t->describe, e->id), text_end(&text, t->describe));
}

/* Prints an event of an atomicity violation: ">> read balance == 0". */
static void print_region_row(struct columns_table *t, const struct described *one)
{
	bool next =
		!has_happened(t->finding, (struct event_id){ one->event.stream, one->event.index });

	if (next)
		print_event(t, one,
			    describe_format(t->describe, ">> %s %s",
					    message_operation(one->event.kind),
					    name_subject(t->describe, &one->event)));
	else
		print_event(t, one,
			    describe_format(t->describe, ">> %s", step_text(t->describe, one)));
}

static void print_row(struct columns_table *t, const struct row *row)
{
	int event = row->event ? rows_find_event(t->finding, &row->event->event) : -1;

	if (event >= 0 && t->finding->property)
		print_pattern_row(t, &t->finding->events.items[event]);
	else if (event >= 0 && t->finding->kind == FINDING_ATOMICITY)
		print_region_row(t, row->event);
	else if (row->event)
		print_line(t, row->column, step_text(t->describe, row->event),
			   short_site(t->describe, &row->event->event));
	else
		print_line(t, row->column,
			   describe_format(t->describe, "... %" PRIu64 " event%s", row->hidden,
					   row->hidden == 1 ? "" : "s"),
			   NULL);
}

static void print_heads(struct columns_table *t)
{
	int width = column_width(t);

	if (!width)
		return;
	fprintf(t->out, "%*s", INDENT, "");
	for (uint32_t i = 0; i < t->rows.threads.count; i++) {
		const char *name = describe_thread(t->describe, t->rows.threads.items[i]);

		if (i + 1 < t->rows.threads.count)
			print_cell(t->out, name, width);
		else
			fprintf(t->out, "%s\n", name);
	}
}

static void print_past(struct columns_table *t)
{
	for (size_t i = 0; t->finding->kind == FINDING_PATTERN && i < t->finding->events.count;
	     i++) {
		if (is_past(t->finding, t->finding->events.items[i].id))
			print_pattern_row(t, &t->finding->events.items[i]);
	}
}

/*
 * Prints the events of the finding that the schedule does not contain. Each is the next event of
 * its thread.
 */
static void print_ends(struct columns_table *t)
{
	const struct finding *f = t->finding;

	for (size_t i = 0; i < f->events.count; i++) {
		const struct finding_event *e = &f->events.items[i];
		const struct described *one = describe_find(t->describe, e->id);
		bool access = f->kind == FINDING_RACE || misuse_is(f);

		/* Those of a race or a deadlock are always next. */
		if (!one || ((f->property || f->kind == FINDING_ATOMICITY ||
			      finding_is_use_after_end(f) || misuse_is(f)) &&
			     has_happened(f, e->id)))
			continue;
		if (f->property)
			print_pattern_row(t, e);
		else if (f->kind == FINDING_ATOMICITY)
			print_region_row(t, one);
		else if (finding_is_use_after_end(f))
			print_use(t, i);
		else
			print_event(t, one,
				    describe_format(
					    t->describe, ">> %s%s %s",
					    access ? "" : "blocked: ", message_operation(e->kind),
					    name_subject(t->describe, &one->event)));
	}
}

void columns_print(struct describe *d, const struct finding *f, FILE *out)
{
	struct columns_table t = {
		.describe = d, .finding = f, .rows = { .describe = d, .finding = f }, .out = out
	};
	uint64_t skipped = 0;
	size_t first;

	rows_make(&t.rows);
	first = t.rows.items.count > ROWS_MOST ? t.rows.items.count - ROWS_MOST : 0;
	for (size_t i = 0; i < first; i++)
		skipped += t.rows.items.items[i].event ? 1 : t.rows.items.items[i].hidden;
	print_heads(&t);
	print_past(&t);
	if (skipped)
		fprintf(out, "%*s... %" PRIu64 " events before\n", INDENT, "", skipped);
	for (size_t i = first; i < t.rows.items.count; i++)
		print_row(&t, &t.rows.items.items[i]);
	print_ends(&t);
	rows_free(&t.rows);
}

const struct described *columns_find_signal(struct describe *d, const struct finding *f,
					    uint64_t condition, struct event_id woken)
{
	struct rows rows = { .describe = d, .finding = f };
	const struct described *signal = NULL, *found = NULL;

	rows_make(&rows);
	for (size_t i = 0; i < rows.items.count; i++) {
		const struct described *one = rows.items.items[i].event;

		if (!one || one->event.address != condition)
			continue;
		if (one->event.kind == EV_SIGNAL || one->event.kind == EV_BROADCAST)
			signal = one;
		else if (one->event.kind == EV_WAIT && one->event.stream == woken.stream &&
			 one->event.index <= woken.index)
			found = signal;
	}
	rows_free(&rows);
	return found;
}
