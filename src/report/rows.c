/*
 * Every step that other threads can notice gets a row; the other steps between two rows are only
 * counted. Long tables leave out steps on objects that only one thread uses.
 */
#include "report/rows.h"

#include "base/map.h"
#include "base/sort.h"
#include "monitor/observe/observe.h"

#define HIDDEN_LEAST 10 /* shorter sequences of events without rows are not mentioned */

uint32_t rows_column(struct rows *t, uint32_t stream)
{
	for (size_t i = 0; i < t->threads.count; i++) {
		if (t->threads.items[i] == stream)
			return (uint32_t)i;
	}
	*vec_push(&t->threads) = stream;
	return (uint32_t)t->threads.count - 1;
}

int rows_find_event(const struct finding *f, const struct trace_event *ev)
{
	for (size_t i = 0; i < f->events.count; i++) {
		if (f->events.items[i].id.stream == ev->stream &&
		    f->events.items[i].id.index == ev->index)
			return (int)i;
	}
	return -1;
}

/* Is the event part of the finding: of the match of a pattern, or of an atomicity violation? */
static bool is_named(const struct finding *f, const struct trace_event *ev)
{
	return (f->property || f->kind == FINDING_ATOMICITY) && rows_find_event(f, ev) >= 0;
}

/*
 * Does the monitor of a formula use the event? Always false for long runs, which would take too
 * long to search.
 */
static bool is_in_run(const struct finding *f, const struct trace_event *ev)
{
	for (size_t i = 0; f->run.count <= OBSERVE_SHOWN && i < f->run.count; i++) {
		if (f->run.items[i].stream == ev->stream && f->run.items[i].index == ev->index)
			return true;
	}
	return false;
}

/*
 * Does the event get a row? An access must touch the finding's memory; a point must be part of the
 * finding.
 */
static bool is_worth_a_row(const struct rows *t, const struct trace_event *ev)
{
	if (is_named(t->finding, ev) || is_in_run(t->finding, ev))
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

static void add_hidden(struct rows *t, uint32_t column, uint64_t count)
{
	struct row *last = t->items.count ? &t->items.items[t->items.count - 1] : NULL;

	if (!count)
		return;
	if (last && last->column == column && !last->event)
		last->hidden += count;
	else
		*vec_push(&t->items) = (struct row){ .column = column, .hidden = count };
}

/* Adds rows for the stream's events with from <= index <= to. */
static void add_slice(struct rows *t, uint32_t stream, uint64_t from, uint64_t to)
{
	const struct described *rows;
	size_t count = describe_rows(t->describe, stream, from, to + 1, &rows);
	uint32_t column = rows_column(t, stream);

	for (size_t i = 0; i < count; i++) {
		if (!is_worth_a_row(t, &rows[i].event))
			continue;
		add_hidden(t, column, rows[i].event.index - from);
		*vec_push(&t->items) = (struct row){ .column = column, .event = &rows[i] };
		from = rows[i].event.index + 1;
	}
	add_hidden(t, column, to + 1 - from);
}

/* Makes a column for each thread, in the order of the threads' numbers. */
static void find_threads(struct rows *t)
{
	for (size_t i = 0; i < t->finding->steps.count; i++)
		rows_column(t, t->finding->steps.items[i].stream);
	for (size_t i = 0; i < t->finding->events.count; i++)
		rows_column(t, t->finding->events.items[i].id.stream);
	vec_sort(&t->threads, sort_u32);
}

/* Drops rows that count few events, unless such a row is all that a thread has in its slice. */
static void drop_short(struct rows *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->items.count; i++) {
		const struct row *row = &t->items.items[i];
		bool beside = (n && t->items.items[n - 1].column == row->column) ||
			      (i + 1 < t->items.count && row[1].column == row->column);

		if (row->event || row->hidden >= HIDDEN_LEAST || !beside)
			t->items.items[n++] = *row;
	}
	t->items.count = n;
}

/* ---- shortening long tables ------------------------------------------------------------------ */

#define SEVERAL UINT64_MAX

static void add_user(struct map *users, uint64_t address, uint32_t stream)
{
	bool fresh;
	uint64_t *user = map_put(users, address, &fresh);

	*user = fresh || *user == stream ? stream : SEVERAL;
}

/* Maps each object to the only thread that uses it in this schedule, or to SEVERAL. */
static void find_users(const struct rows *t, struct map *users)
{
	for (size_t i = 0; i < t->items.count; i++) {
		const struct trace_event *ev =
			t->items.items[i].event ? &t->items.items[i].event->event : NULL;

		if (!ev || event_group(ev->kind) == EG_THREAD)
			continue;
		add_user(users, ev->address, ev->stream);
		if (event_group(ev->kind) == EG_CONDITION)
			add_user(users, ev->other, ev->stream);
	}
	for (size_t i = 0; i < t->finding->events.count; i++) {
		const struct finding_event *e = &t->finding->events.items[i];

		add_user(users, e->address, e->id.stream);
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

/*
 * Turns rows about objects that only one thread uses in this schedule into counted events; in a
 * short table only those about initialisations, of which the C++ library makes many before main.
 * Returns whether there are any.
 */
static bool hide_private(struct rows *t, bool is_long)
{
	struct map users = { 0 };
	bool any = false;

	find_users(t, &users);
	for (size_t i = 0; i < t->items.count; i++) {
		struct row *row = &t->items.items[i];
		const struct trace_event *ev = row->event ? &row->event->event : NULL;

		if (!ev || event_group(ev->kind) == EG_THREAD ||
		    event_group(ev->kind) == EG_ACCESS || is_held(t->finding, ev) ||
		    is_named(t->finding, ev) || (!is_long && event_group(ev->kind) != EG_ONCE))
			continue;
		if (*map_get(&users, ev->address) != SEVERAL) {
			*row = (struct row){ .column = row->column, .hidden = 1 };
			any = true;
		}
	}
	map_free(&users);
	return any;
}

/* Joins adjacent rows that count events of the same thread. */
static void join_hidden(struct rows *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->items.count; i++) {
		const struct row *row = &t->items.items[i];
		struct row *last = n ? &t->items.items[n - 1] : NULL;

		if (last && !row->event && !last->event && last->column == row->column)
			last->hidden += row->hidden;
		else
			t->items.items[n++] = *row;
	}
	t->items.count = n;
}

void rows_make(struct rows *t)
{
	const struct finding *f = t->finding;
	struct map next = { 0 }; /* from a stream to the index of its next event */

	find_threads(t);
	for (size_t i = 0; i < f->start.count; i++)
		*map_put(&next, f->start.items[i].stream, NULL) = f->start.items[i].index;
	for (size_t i = 0; i < f->steps.count; i++) {
		uint64_t *from = map_put(&next, f->steps.items[i].stream, NULL);

		if (f->steps.items[i].index < *from)
			continue;
		add_slice(t, f->steps.items[i].stream, *from, f->steps.items[i].index);
		*from = f->steps.items[i].index + 1;
	}
	map_free(&next);
	if (hide_private(t, t->items.count > ROWS_MOST))
		join_hidden(t);
	drop_short(t);
}

void rows_free(struct rows *t)
{
	vec_free(&t->items);
	vec_free(&t->threads);
}
