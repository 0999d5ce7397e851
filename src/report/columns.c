#include "report/columns.h"

#include "base/mem.h"
#include "report/lifetime.h"
#include "report/matched.h"
#include "report/message.h"
#include "report/misuse.h"
#include "report/name.h"
#include "report/rows.h"
#include "report/atomicity.h"

#include <inttypes.h>
#include <string.h>

#define WIDTH 100 /* of all */
#define INDENT 4
#define PLACE 24  /* of the place at the right end */
#define NARROW 15 /* a column narrower than that is unreadable: then threads are told by name */

struct columns_table {
	struct describe *describe;
	const struct finding *finding;
	struct rows rows;
	uint64_t skipped; /* events in rows that are not shown */
	FILE *out;
};

/* ---- words -------------------------------------------------------------------------------- */

static void print_value(FILE *out, const struct described *one, const uint8_t *bytes)
{
	uint64_t size = one->event.size, value = 0;

	if (size > 8)
		return;
	for (uint64_t i = size; i-- > 0;)
		value = value << 8 | bytes[i];
	fprintf(out, " %" PRId64, (int64_t)(value << (64 - 8 * size)) >> (64 - 8 * size));
}

static const char *verb(const struct trace_event *ev)
{
	switch (ev->kind) {
	case EV_READ:
	case EV_ATOMIC_READ: return "read";
	case EV_WRITE:
	case EV_ATOMIC_WRITE: return "write";
	case EV_ATOMIC_UPDATE: return "update";
	case EV_CREATE: return "create";
	case EV_BEGIN: return "begin";
	case EV_END: return "end";
	case EV_JOIN: return "join";
	case EV_ACQUIRE: return "lock";
	case EV_READ_ACQUIRE: return "read-lock";
	case EV_RELEASE:
	case EV_READ_RELEASE: return "unlock";
	case EV_ACQUIRE_FAIL: return ev->mode == EVENT_TIMED ? "time-out" : "trylock fails";
	case EV_READ_FAIL: return ev->mode == EVENT_TIMED ? "time-out" : "tryrdlock fails";
	case EV_WAIT: return "wait";
	case EV_WOKEN: return ev->mode ? "time-out" : "woken";
	case EV_SIGNAL: return "signal";
	case EV_BROADCAST: return "broadcast";
	case EV_POST: return "post";
	case EV_DOWN: return "down";
	case EV_SEM_INIT: return "init";
	case EV_DOWN_FAIL: return ev->mode == EVENT_TIMED ? "time-out" : "trywait fails";
	case EV_ARRIVE: return "arrive at";
	case EV_PASS: return "pass";
	case EV_ONCE_BEGIN: return "run once";
	case EV_ONCE_END: return "ran once";
	case EV_ONCE: return "once";
	}
	return event_text(ev->kind);
}

/* What a point of a formula's run says, without the library. */
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

/* "lock m", "write x = 5": short, it stands in a column. */
static void print_words(struct describe *d, const struct described *one, FILE *out)
{
	const struct trace_event *ev = &one->event;
	bool reads = ev->kind == EV_READ || ev->kind == EV_ATOMIC_READ;

	if (print_point(d, ev, out))
		return;
	fputs(verb(ev), out);
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

static const char *words(struct describe *d, const struct described *one)
{
	char *text;
	const char *kept;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		abort();
	print_words(d, one, out);
	fclose(out);
	kept = describe_keep(d, text, size);
	free(text);
	return kept;
}

/* ---- the table ---------------------------------------------------------------------------- */

static int column_width(const struct columns_table *t)
{
	int width = (WIDTH - INDENT - PLACE) / (int)t->rows.threads.count;

	return width > 36 ? 36 : width < NARROW ? 0 : width;
}

/* Cuts what is too long, in the middle of the words and not of a character. */
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

static void print_line(struct columns_table *t, uint32_t column, const char *text,
		       const char *place)
{
	int width = column_width(t);
	char *line;
	size_t size;
	FILE *out = open_memstream(&line, &size);

	if (!out)
		abort();
	if (!width) {
		fprintf(out, "%-11s %-*s%s",
			describe_thread(t->describe, t->rows.threads.items[column]),
			WIDTH - INDENT - PLACE - 12, text, place ? place : "");
	} else {
		for (uint32_t i = 0; i < t->rows.threads.count; i++)
			print_cell(out, i == column ? text : "", width);
		if (place)
			fputs(place, out);
	}
	fclose(out);
	while (size && line[size - 1] == ' ')
		line[--size] = 0;
	fprintf(t->out, "%*s%s\n", INDENT, "", line);
	free(line);
}

static const char *short_place(struct describe *d, const struct trace_event *ev)
{
	struct describe_frame frame;
	const char *slash;
	char text[PLACE + 1];

	if (!describe_place(d, ev, &frame) || !frame.file)
		return NULL;
	slash = strrchr(frame.file, '/');
	snprintf(text, sizeof text, "%.*s:%u", PLACE - 8, slash ? slash + 1 : frame.file,
		 frame.line);
	return describe_keep(d, text, strlen(text));
}

/* ">> update: call g_hash_table_insert(…)": what the pattern is matched by */
static void print_pattern_row(struct columns_table *t, const struct finding_event *e)
{
	const struct described *one = describe_find(t->describe, e->id);

	print_line(t, rows_column(&t->rows, e->id.stream), matched_cell(t->describe, t->finding, e),
		   one ? short_place(t->describe, &one->event) : NULL);
}

/* Of a pattern: what had happened where the schedule starts. */
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

/* The end of a life that has not happened, or the use of it. */
static void print_use(struct columns_table *t, size_t event)
{
	const struct finding_event *e = &t->finding->events.items[event];
	const struct described *one = describe_find(t->describe, e->id);
	char *text;
	size_t size;
	FILE *line = open_memstream(&text, &size);

	if (!line)
		abort();
	fputs(">> ", line);
	lifetime_step(t->describe, t->finding, event, line);
	fclose(line);
	print_line(t, rows_column(&t->rows, e->id.stream), text,
		   short_place(t->describe, &one->event));
	free(text);
}

/* ">> read balance == 0": of those that tear a region or are torn apart */
static void print_torn_row(struct columns_table *t, const struct described *one)
{
	bool next =
		!has_happened(t->finding, (struct event_id){ one->event.stream, one->event.index });
	char text[256];

	if (next)
		snprintf(text, sizeof text, ">> %s %s", message_operation(one->event.kind),
			 name_subject(t->describe, &one->event));
	else
		snprintf(text, sizeof text, ">> %s", words(t->describe, one));
	print_line(t, rows_column(&t->rows, one->event.stream), text,
		   short_place(t->describe, &one->event));
}

static void print_row(struct columns_table *t, const struct row *row)
{
	char text[40];
	int event = row->event ? rows_pattern_event(t->finding, &row->event->event) : -1;

	if (event >= 0) {
		print_pattern_row(t, &t->finding->events.items[event]);
		return;
	}
	if (row->event && atomicity_find(t->finding, &row->event->event) >= 0) {
		print_torn_row(t, row->event);
		return;
	}
	if (row->event) {
		print_line(t, row->column, words(t->describe, row->event),
			   short_place(t->describe, &row->event->event));
		return;
	}
	snprintf(text, sizeof text, "... %" PRIu64 " event%s", row->hidden,
		 row->hidden == 1 ? "" : "s");
	print_line(t, row->column, text, NULL);
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
 * What the finding is about comes last: each of these is next, none has happened. Of a pattern, some
 * have.
 */
static void print_ends(struct columns_table *t)
{
	for (size_t i = 0; i < t->finding->events.count; i++) {
		const struct finding_event *e = &t->finding->events.items[i];
		const struct described *one = describe_find(t->describe, e->id);
		char text[256];

		if (!one)
			continue;
		if (t->finding->property) {
			if (!has_happened(t->finding, e->id))
				print_pattern_row(t, e);
			continue;
		}
		if (t->finding->kind == FINDING_ATOMICITY) {
			if (!has_happened(t->finding, e->id))
				print_torn_row(t, one);
			continue;
		}
		if (finding_is_of_life(t->finding)) {
			if (!has_happened(t->finding, e->id))
				print_use(t, i);
			continue;
		}
		if (misuse_is(t->finding) && has_happened(t->finding, e->id))
			continue;
		if (t->finding->kind == FINDING_RACE || misuse_is(t->finding))
			snprintf(text, sizeof text, ">> %s %s", message_operation(e->kind),
				 name_subject(t->describe, &one->event));
		else
			snprintf(text, sizeof text, ">> stuck: %s %s", message_operation(e->kind),
				 name_subject(t->describe, &one->event));
		print_line(t, rows_column(&t->rows, e->id.stream), text,
			   short_place(t->describe, &one->event));
	}
}

void columns_print(struct describe *d, const struct finding *f, FILE *out)
{
	struct columns_table t = {
		.describe = d, .finding = f, .rows = { .describe = d, .finding = f }, .out = out
	};
	size_t first;

	rows_make(&t.rows);
	first = t.rows.items.count > ROWS_MOST ? t.rows.items.count - ROWS_MOST : 0;
	for (size_t i = 0; i < first; i++)
		t.skipped += t.rows.items.items[i].event ? 1 : t.rows.items.items[i].hidden;
	print_heads(&t);
	print_past(&t);
	if (t.skipped)
		fprintf(out, "%*s... %" PRIu64 " events before that\n", INDENT, "", t.skipped);
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
