#include "report/columns.h"

#include "base/map.h"
#include "base/mem.h"
#include "monitor/observe.h"
#include "report/lives.h"
#include "report/matched.h"
#include "report/message.h"
#include "report/misused.h"
#include "report/name.h"
#include "report/torn.h"

#include <inttypes.h>
#include <string.h>

#define WIDTH 100 /* of all */
#define INDENT 4
#define PLACE 24  /* of the place at the right end */
#define NARROW 15 /* a column narrower than that is unreadable: then threads are told by name */
#define HIDDEN_LEAST 10 /* fewer events that do not matter are not mentioned beside others */
#define ROWS_MOST 40	/* the last ones count */

/* A row: an event, or a number of events of one thread that do not matter. */
struct row {
	uint32_t column;
	const struct described *event; /* NULL: `hidden` events */
	uint64_t hidden;
};

struct table {
	struct describe *describe;
	const struct finding *finding;
	VEC(uint32_t) threads; /* the columns */
	VEC(struct row) rows;
	uint64_t skipped; /* events in rows that are not shown */
	FILE *out;
};

/* ---- rows --------------------------------------------------------------------------------- */

static uint32_t column_of(struct table *t, uint32_t stream)
{
	for (size_t i = 0; i < t->threads.count; i++) {
		if (t->threads.items[i] == stream)
			return (uint32_t)i;
	}
	*vec_push(&t->threads) = stream;
	return (uint32_t)t->threads.count - 1;
}

/* The event of a pattern that this one is; -1: none. */
static int pattern_event(const struct finding *f, const struct trace_event *ev)
{
	for (size_t i = 0; f->property && i < f->events.count; i++) {
		if (f->events.items[i].id.stream == ev->stream &&
		    f->events.items[i].id.index == ev->index)
			return (int)i;
	}
	return -1;
}

/* Is it what a formula's monitor sees? A long run is not searched for each event. */
static bool is_in_run(const struct finding *f, const struct trace_event *ev)
{
	for (size_t i = 0; f->run.count <= OBSERVE_STORY && i < f->run.count; i++) {
		if (f->run.items[i].stream == ev->stream && f->run.items[i].index == ev->index)
			return true;
	}
	return false;
}

/* Accesses matter if they touch what the finding is about, points if they are of it. */
static bool matters(const struct table *t, const struct trace_event *ev)
{
	if (pattern_event(t->finding, ev) >= 0 || is_in_run(t->finding, ev) ||
	    torn_find(t->finding, ev) >= 0)
		return true;
	if (event_group(ev->kind) == EG_FUNCTION)
		return false;
	if (event_group(ev->kind) != EG_ACCESS && event_group(ev->kind) != EG_ATOMIC)
		return true;
	for (size_t i = 0; i < t->finding->events.count; i++) {
		const struct finding_event *e = &t->finding->events.items[i];

		if (e->size && ev->address < e->address + e->size &&
		    e->address < ev->address + ev->size)
			return true;
	}
	return event_group(ev->kind) == EG_ATOMIC;
}

static void add_hidden(struct table *t, uint32_t column, uint64_t count)
{
	struct row *last = t->rows.count ? &t->rows.items[t->rows.count - 1] : NULL;

	if (!count)
		return;
	if (last && last->column == column && !last->event)
		last->hidden += count;
	else
		*vec_push(&t->rows) = (struct row){ .column = column, .hidden = count };
}

/* The stream's events with from <= index <= to */
static void add_run(struct table *t, uint32_t stream, uint64_t from, uint64_t to)
{
	const struct described *rows;
	size_t count = describe_rows(t->describe, stream, from, to + 1, &rows);
	uint32_t column = column_of(t, stream);

	for (size_t i = 0; i < count; i++) {
		if (!matters(t, &rows[i].event))
			continue;
		add_hidden(t, column, rows[i].event.index - from);
		*vec_push(&t->rows) = (struct row){ .column = column, .event = &rows[i] };
		from = rows[i].event.index + 1;
	}
	add_hidden(t, column, to + 1 - from);
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Columns stand in order of the threads' numbers. */
static void find_threads(struct table *t)
{
	for (size_t i = 0; i < t->finding->steps.count; i++)
		column_of(t, t->finding->steps.items[i].stream);
	for (size_t i = 0; i < t->finding->events.count; i++)
		column_of(t, t->finding->events.items[i].id.stream);
	qsort(t->threads.items, t->threads.count, sizeof *t->threads.items, by_number);
}

/* Drops short runs of what does not matter, unless they are all that a thread does at its turn. */
static void drop_short(struct table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->rows.count; i++) {
		const struct row *row = &t->rows.items[i];
		bool beside = (n && t->rows.items[n - 1].column == row->column) ||
			      (i + 1 < t->rows.count && row[1].column == row->column);

		if (row->event || row->hidden >= HIDDEN_LEAST || !beside)
			t->rows.items[n++] = *row;
	}
	t->rows.count = n;
}

/* ---- long tables -------------------------------------------------------------------------- */

#define SEVERAL UINT64_MAX

static void touch(struct map *users, uint64_t address, uint32_t stream)
{
	bool fresh;
	uint64_t *user = map_put(users, address, &fresh);

	*user = fresh || *user == stream ? stream : SEVERAL;
}

/* Sync objects and atomics, and which thread uses them here: one alone, or several. */
static void find_users(const struct table *t, struct map *users)
{
	for (size_t i = 0; i < t->rows.count; i++) {
		const struct trace_event *ev =
			t->rows.items[i].event ? &t->rows.items[i].event->event : NULL;

		if (!ev || event_group(ev->kind) == EG_THREAD)
			continue;
		touch(users, ev->address, ev->stream);
		if (event_group(ev->kind) == EG_CONDITION)
			touch(users, ev->other, ev->stream);
	}
	for (size_t i = 0; i < t->finding->events.count; i++) {
		const struct finding_event *e = &t->finding->events.items[i];

		touch(users, e->address, e->id.stream);
		if (e->size)
			*map_put(users, e->address, NULL) = SEVERAL;
	}
}

static bool is_held(const struct finding *f, const struct trace_event *ev)
{
	for (size_t i = 0; i < f->events.count; i++) {
		const struct finding_event *e = &f->events.items[i];

		for (size_t k = 0; k < e->held.count; k++) {
			if (e->held.items[k].taken.stream == ev->stream &&
			    e->held.items[k].taken.index == ev->index)
				return true;
		}
	}
	return false;
}

/* Hides what a thread does with objects that no other thread uses in this schedule. */
static void hide_private(struct table *t)
{
	struct map users = { 0 };

	find_users(t, &users);
	for (size_t i = 0; i < t->rows.count; i++) {
		struct row *row = &t->rows.items[i];
		const struct trace_event *ev = row->event ? &row->event->event : NULL;

		if (!ev || event_group(ev->kind) == EG_THREAD ||
		    event_group(ev->kind) == EG_ACCESS || is_held(t->finding, ev) ||
		    pattern_event(t->finding, ev) >= 0 || torn_find(t->finding, ev) >= 0)
			continue;
		if (*map_get(&users, ev->address) != SEVERAL)
			*row = (struct row){ .column = row->column, .hidden = 1 };
	}
	map_free(&users);
}

/* Joins neighbours that do not matter. */
static void join_hidden(struct table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->rows.count; i++) {
		const struct row *row = &t->rows.items[i];
		struct row *last = n ? &t->rows.items[n - 1] : NULL;

		if (last && !row->event && !last->event && last->column == row->column)
			last->hidden += row->hidden;
		else
			t->rows.items[n++] = *row;
	}
	t->rows.count = n;
}

static void make_rows(struct table *t)
{
	const struct finding *f = t->finding;
	struct map next = { 0 }; /* stream to its next index */

	find_threads(t);
	for (size_t i = 0; i < f->start.count; i++)
		*map_put(&next, f->start.items[i].stream, NULL) = f->start.items[i].index;
	for (size_t i = 0; i < f->steps.count; i++) {
		uint64_t *from = map_put(&next, f->steps.items[i].stream, NULL);

		if (f->steps.items[i].index < *from)
			continue;
		add_run(t, f->steps.items[i].stream, *from, f->steps.items[i].index);
		*from = f->steps.items[i].index + 1;
	}
	map_free(&next);
	if (t->rows.count > ROWS_MOST) {
		hide_private(t);
		join_hidden(t);
	}
	drop_short(t);
}

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
	struct window_id id = { ev->stream, ev->index };
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

static int column_width(const struct table *t)
{
	int width = (WIDTH - INDENT - PLACE) / (int)t->threads.count;

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

static void print_line(struct table *t, uint32_t column, const char *text, const char *place)
{
	int width = column_width(t);
	char *line;
	size_t size;
	FILE *out = open_memstream(&line, &size);

	if (!out)
		abort();
	if (!width) {
		fprintf(out, "%-11s %-*s%s", describe_thread(t->describe, t->threads.items[column]),
			WIDTH - INDENT - PLACE - 12, text, place ? place : "");
	} else {
		for (uint32_t i = 0; i < t->threads.count; i++)
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
static void print_pattern_row(struct table *t, const struct finding_event *e)
{
	const struct described *one = describe_find(t->describe, e->id);

	print_line(t, column_of(t, e->id.stream), matched_cell(t->describe, t->finding, e),
		   one ? short_place(t->describe, &one->event) : NULL);
}

/* Of a pattern: what had happened where the schedule starts. */
static bool is_past(const struct finding *f, struct window_id id)
{
	for (size_t i = 0; i < f->start.count; i++) {
		if (f->start.items[i].stream == id.stream)
			return f->start.items[i].index > id.index;
	}
	return false;
}

static bool has_happened(const struct finding *f, struct window_id id)
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
static void print_use(struct table *t, size_t event)
{
	const struct finding_event *e = &t->finding->events.items[event];
	const struct described *one = describe_find(t->describe, e->id);
	char *text;
	size_t size;
	FILE *line = open_memstream(&text, &size);

	if (!line)
		abort();
	fputs(">> ", line);
	lives_step(t->describe, t->finding, event, line);
	fclose(line);
	print_line(t, column_of(t, e->id.stream), text, short_place(t->describe, &one->event));
	free(text);
}

/* ">> read balance == 0": of those that tear a region or are torn apart */
static void print_torn_row(struct table *t, const struct described *one)
{
	bool next = !has_happened(t->finding,
				  (struct window_id){ one->event.stream, one->event.index });
	char text[256];

	if (next)
		snprintf(text, sizeof text, ">> %s %s", message_operation(one->event.kind),
			 name_subject(t->describe, &one->event));
	else
		snprintf(text, sizeof text, ">> %s", words(t->describe, one));
	print_line(t, column_of(t, one->event.stream), text, short_place(t->describe, &one->event));
}

static void print_row(struct table *t, const struct row *row)
{
	char text[40];
	int event = row->event ? pattern_event(t->finding, &row->event->event) : -1;

	if (event >= 0) {
		print_pattern_row(t, &t->finding->events.items[event]);
		return;
	}
	if (row->event && torn_find(t->finding, &row->event->event) >= 0) {
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

static void print_heads(struct table *t)
{
	int width = column_width(t);

	if (!width)
		return;
	fprintf(t->out, "%*s", INDENT, "");
	for (uint32_t i = 0; i < t->threads.count; i++) {
		const char *name = describe_thread(t->describe, t->threads.items[i]);

		if (i + 1 < t->threads.count)
			print_cell(t->out, name, width);
		else
			fprintf(t->out, "%s\n", name);
	}
}

static void print_past(struct table *t)
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
static void print_ends(struct table *t)
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
		if (misused_is(t->finding) && has_happened(t->finding, e->id))
			continue;
		if (t->finding->kind == FINDING_RACE || misused_is(t->finding))
			snprintf(text, sizeof text, ">> %s %s", message_operation(e->kind),
				 name_subject(t->describe, &one->event));
		else
			snprintf(text, sizeof text, ">> stuck: %s %s", message_operation(e->kind),
				 name_subject(t->describe, &one->event));
		print_line(t, column_of(t, e->id.stream), text,
			   short_place(t->describe, &one->event));
	}
}

void columns_print(struct describe *d, const struct finding *f, FILE *out)
{
	struct table t = { .describe = d, .finding = f, .out = out };
	size_t first;

	make_rows(&t);
	first = t.rows.count > ROWS_MOST ? t.rows.count - ROWS_MOST : 0;
	for (size_t i = 0; i < first; i++)
		t.skipped += t.rows.items[i].event ? 1 : t.rows.items[i].hidden;
	print_heads(&t);
	print_past(&t);
	if (t.skipped)
		fprintf(out, "%*s... %" PRIu64 " events before that\n", INDENT, "", t.skipped);
	for (size_t i = first; i < t.rows.count; i++)
		print_row(&t, &t.rows.items[i]);
	print_ends(&t);
	vec_free(&t.rows);
	vec_free(&t.threads);
}

const struct described *columns_find_signal(struct describe *d, const struct finding *f,
					    uint64_t condition, struct window_id woken)
{
	struct table t = { .describe = d, .finding = f };
	const struct described *signal = NULL, *found = NULL;

	make_rows(&t);
	for (size_t i = 0; i < t.rows.count; i++) {
		const struct described *one = t.rows.items[i].event;

		if (!one || one->event.address != condition)
			continue;
		if (one->event.kind == EV_SIGNAL || one->event.kind == EV_BROADCAST)
			signal = one;
		else if (one->event.kind == EV_WAIT && one->event.stream == woken.stream &&
			 one->event.index <= woken.index)
			found = signal;
	}
	vec_free(&t.rows);
	vec_free(&t.threads);
	return found;
}
