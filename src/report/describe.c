#include "report/describe.h"

#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "report/stack.h"
#include "trace/point_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Indices of a stream that a witness runs over. */
struct describe_range {
	uint64_t from, to;
};

/* Bytes that findings are about: accesses of them are shown in witnesses. */
struct describe_bytes {
	uint64_t from, to;
};

struct describe_lane {
	VEC(uint64_t) wanted; /* sorted, each once, before the pass */
	VEC(struct describe_range) ranges;
	VEC(uint32_t) children; /* threads whose CREATE is looked for here */
	VEC(struct described) rows;
	bool begin; /* its BEGIN is wanted */
};

struct describe {
	const struct trace *trace;
	struct trace_symbols *symbols;
	struct stack_maker *stacks;
	struct describe_lane *lanes; /* by position in the trace */
	VEC(struct describe_bytes) cells;
	VEC(struct described *) found;
	struct map by_id;     /* event to position + 1 in found */
	struct map creations; /* stream to position + 1 in found */
	struct intern texts;
};

/* By the stream's position: its number may be anything. */
static uint64_t key_of(const struct describe *d, struct event_id id)
{
	return (uint64_t)trace_find_stream(d->trace, id.stream) << 40 | id.index;
}

/* ---- what is wanted ----------------------------------------------------------------------- */

static struct describe_lane *lane_of(struct describe *d, uint32_t stream)
{
	uint32_t i = trace_find_stream(d->trace, stream);

	return i == TRACE_NONE ? NULL : &d->lanes[i];
}

static void want(struct describe *d, struct event_id id)
{
	struct describe_lane *lane = lane_of(d, id.stream);

	if (lane)
		*vec_push(&lane->wanted) = id.index;
}

/* In a text nobody says who created a thread: all are asked. */
static void want_creation(struct describe *d, uint32_t stream)
{
	struct describe_lane *lane = lane_of(d, stream);

	if (!lane || lane->begin)
		return;
	lane->begin = true;
	if (trace_is_text(d->trace)) {
		for (uint32_t i = 0; i < trace_stream_count(d->trace); i++)
			*vec_push(&d->lanes[i].children) = stream;
	}
}

static void want_event(struct describe *d, const struct finding_event *e)
{
	want(d, e->id);
	want_creation(d, e->id.stream);
	for (size_t i = 0; i < e->held.count; i++)
		want(d, e->held.items[i].taken);
	if (e->in_block)
		want(d, e->block.allocated);
	if (e->size)
		*vec_push(&d->cells) = (struct describe_bytes){ e->address, e->address + e->size };
}

static uint64_t start_of(const struct finding *f, uint32_t stream)
{
	for (size_t i = 0; i < f->start.count; i++) {
		if (f->start.items[i].stream == stream)
			return f->start.items[i].index;
	}
	return 0;
}

/* For each stream of the witness from where the window starts to its last step. */
static void want_rows(struct describe *d, const struct finding *f)
{
	struct map last = { 0 };

	for (size_t i = 0; i < f->steps.count; i++)
		*map_put(&last, f->steps.items[i].stream, NULL) = f->steps.items[i].index + 1;
	for (uint32_t i = 0; i < trace_stream_count(d->trace); i++) {
		uint32_t stream = trace_stream(d->trace, i)->number;
		const uint64_t *to = map_get(&last, stream);

		if (to)
			*vec_push(&d->lanes[i].ranges) =
				(struct describe_range){ start_of(f, stream), *to };
	}
	map_free(&last);
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int by_from(const void *a, const void *b)
{
	const struct describe_range *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

static int by_start(const void *a, const void *b)
{
	const struct describe_bytes *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

/* Sorts, and joins what touches or overlaps. */
static void sort_lane(struct describe_lane *lane)
{
	size_t n = 0;

	if (lane->wanted.count)
		qsort(lane->wanted.items, lane->wanted.count, sizeof *lane->wanted.items,
		      by_number);
	for (size_t i = 0; i < lane->wanted.count; i++) {
		if (!n || lane->wanted.items[n - 1] != lane->wanted.items[i])
			lane->wanted.items[n++] = lane->wanted.items[i];
	}
	lane->wanted.count = n;
	n = 0;
	if (lane->ranges.count)
		qsort(lane->ranges.items, lane->ranges.count, sizeof *lane->ranges.items, by_from);
	for (size_t i = 0; i < lane->ranges.count; i++) {
		struct describe_range *r = &lane->ranges.items[i],
				      *into = &lane->ranges.items[n - !!n];

		if (n && r->from <= into->to)
			into->to = r->to > into->to ? r->to : into->to;
		else
			lane->ranges.items[n++] = *r;
	}
	lane->ranges.count = n;
}

static void sort_cells(struct describe *d)
{
	size_t n = 0;

	if (d->cells.count)
		qsort(d->cells.items, d->cells.count, sizeof *d->cells.items, by_start);
	for (size_t i = 0; i < d->cells.count; i++) {
		struct describe_bytes *b = &d->cells.items[i], *into = &d->cells.items[n - !!n];

		if (n && b->from <= into->to)
			into->to = b->to > into->to ? b->to : into->to;
		else
			d->cells.items[n++] = *b;
	}
	d->cells.count = n;
}

/* ---- the pass ----------------------------------------------------------------------------- */

static bool of_cells(const struct describe *d, const struct trace_event *ev)
{
	size_t low = 0, high = d->cells.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (d->cells.items[middle].to <= ev->address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < d->cells.count && d->cells.items[low].from < ev->address + ev->size;
}

/* Is it something that another thread could notice, as far as these findings go? */
static bool is_row(const struct describe *d, const struct trace_event *ev)
{
	switch (event_group(ev->kind)) {
	case EG_NOTE:
	case EG_MEMORY:
	case EG_FUNCTION: return false;
	case EG_ACCESS: return of_cells(d, ev);
	case EG_ATOMIC: return ev->kind != EV_FENCE;
	default: break;
	}
	switch (ev->kind) {
	case EV_DETACH:
	case EV_REQUEST: /* what was asked for and never given is an event of the finding */
	case EV_READ_REQUEST:
	case EV_DOWN_REQUEST:
	case EV_JOIN_REQUEST:
	case EV_LOCK_INIT:
	case EV_COND_INIT:
	case EV_BARRIER_INIT: return false;
	case EV_BEGIN: return ev->stream != 0;
	}
	return true;
}

static void keep_bytes(const struct trace_event *ev, const uint8_t *from, bool *has, uint8_t *to)
{
	*has = from && ev->size && ev->size <= DESCRIBE_BYTES;
	for (uint64_t i = 0; *has && i < ev->size; i++)
		to[i] = from[ev->unit < ev->size ? i % ev->unit : i];
}

static struct described describe_event(const struct trace_event *ev)
{
	struct described one = { .event = *ev };

	keep_bytes(ev, ev->value, &one.has_value, one.value);
	keep_bytes(ev, ev->old, &one.has_old, one.old);
	one.event.value = one.event.old = NULL;
	return one;
}

static const char *point_words_of(struct describe *d, const struct trace_cursor *cursor,
				  const struct trace_event *ev)
{
	struct trace_point point;
	const char *kept;
	char *text;
	size_t size;
	FILE *out;

	if (event_group(ev->kind) != EG_FUNCTION || !trace_read_point(cursor, ev, &point))
		return NULL;
	out = open_memstream(&text, &size);
	if (!out)
		abort();
	point_print(out, &point);
	fclose(out);
	kept = describe_keep(d, text, size);
	free(text);
	return kept;
}

static size_t keep(struct describe *d, const struct trace_cursor *cursor,
		   const struct trace_event *ev)
{
	bool fresh;
	uint64_t *at =
		map_put(&d->by_id, key_of(d, (struct event_id){ ev->stream, ev->index }), &fresh);
	struct describe_frame frames[STACK_FRAMES];
	struct described *one;

	if (!fresh)
		return (size_t)*at;
	one = mem_alloc(sizeof *one);
	*one = describe_event(ev);
	one->point = point_words_of(d, cursor, ev);
	size_t count = stack_make(d->stacks, cursor, ev, frames);
	for (size_t i = 0; i < count; i++)
		*vec_push(&one->stack) = frames[i];
	*vec_push(&d->found) = one;
	return *at = d->found.count;
}

/* A thread says who created it in its BEGIN; creators have lower numbers and come later here. */
static void keep_thread(struct describe *d, struct describe_lane *lane,
			const struct trace_cursor *cursor, const struct trace_event *ev)
{
	if (ev->kind == EV_BEGIN && lane->begin) {
		struct describe_lane *creator = lane_of(d, (uint32_t)ev->number);

		keep(d, cursor, ev);
		if (creator && ev->stream)
			*vec_push(&creator->children) = ev->stream;
		return;
	}
	for (size_t i = 0; ev->kind == EV_CREATE && i < lane->children.count; i++) {
		if (lane->children.items[i] != ev->number)
			continue;
		lane->children.items[i] = lane->children.items[--lane->children.count];
		*map_put(&d->creations, ev->number, NULL) = keep(d, cursor, ev);
	}
}

static bool is_over(const struct describe_lane *lane, uint64_t index, size_t wanted, size_t range)
{
	return wanted == lane->wanted.count && range == lane->ranges.count &&
	       !lane->children.count && (index || !lane->begin);
}

/* Where a stream cannot be read any further the prediction has said so. */
static void read_lane(struct describe *d, uint32_t i)
{
	struct describe_lane *lane = &d->lanes[i];
	struct trace_cursor *cursor;
	struct trace_event ev;
	struct err err = { 0 };
	size_t wanted = 0, range = 0;
	bool shown;

	if (is_over(lane, 0, 0, 0))
		return;
	cursor = trace_cursor_open(d->trace, i);
	while (trace_next(cursor, &ev, &err)) {
		if (ev.index == TRACE_NO_INDEX)
			continue;
		if (event_group(ev.kind) == EG_THREAD)
			keep_thread(d, lane, cursor, &ev);
		shown = false;
		if (wanted < lane->wanted.count && lane->wanted.items[wanted] == ev.index) {
			size_t at = keep(d, cursor, &ev);
			/* columns.c knows whose runs they are in */
			shown = d->found.items[at - 1]->point != NULL ||
				event_group(ev.kind) == EG_ACCESS ||
				event_group(ev.kind) == EG_MEMORY || ev.kind == EV_DETACH;
			wanted++;
		}
		if (range < lane->ranges.count && ev.index >= lane->ranges.items[range].from &&
		    (shown || is_row(d, &ev)))
			*vec_push(&lane->rows) = describe_event(&ev);
		if (range < lane->ranges.count && ev.index + 1 >= lane->ranges.items[range].to)
			range++;
		if (is_over(lane, ev.index + 1, wanted, range))
			break;
	}
	trace_cursor_close(cursor);
}

static void want_finding(struct describe *d, const struct finding *f, bool rows)
{
	for (size_t k = 0; k < f->events.count; k++)
		want_event(d, &f->events.items[k]);
	if (rows)
		want_rows(d, f);
}

/* A lead is told once a run has shown it. */
static void want_all(struct describe *d, const struct describe_request *r)
{
	for (size_t i = 0; i < r->result->findings.count; i++)
		want_finding(d, &r->result->findings.items[i], r->rows);
	for (size_t i = 0; i < r->result->leads.count; i++)
		want_finding(d, &r->result->leads.items[i], r->rows);
	for (size_t i = 0; i < r->also_count; i++) {
		want(d, r->also[i]);
		want_creation(d, r->also[i].stream);
	}
}

struct describe *describe_open(const struct describe_request *r)
{
	struct describe *d = mem_zalloc(1, sizeof *d);
	uint32_t streams = trace_stream_count(r->trace);
	struct stat status;
	bool text = trace_is_text(r->trace) && !stat(r->path, &status) && !S_ISDIR(status.st_mode);

	d->trace = r->trace;
	d->symbols = trace_symbols_open(r->trace);
	d->lanes = mem_zalloc(streams, sizeof *d->lanes);
	d->stacks = stack_open(d, text ? r->path : NULL);
	want_all(d, r);
	sort_cells(d);
	for (uint32_t i = streams; i-- > 0;) {
		sort_lane(&d->lanes[i]);
		read_lane(d, i);
	}
	return d;
}

void describe_close(struct describe *d)
{
	for (uint32_t i = 0; i < trace_stream_count(d->trace); i++) {
		vec_free(&d->lanes[i].wanted);
		vec_free(&d->lanes[i].ranges);
		vec_free(&d->lanes[i].children);
		vec_free(&d->lanes[i].rows);
	}
	for (size_t i = 0; i < d->found.count; i++) {
		vec_free(&d->found.items[i]->stack);
		free(d->found.items[i]);
	}
	vec_free(&d->found);
	vec_free(&d->cells);
	map_free(&d->by_id);
	map_free(&d->creations);
	intern_free(&d->texts);
	stack_close(d->stacks);
	trace_symbols_close(d->symbols);
	free(d->lanes);
	free(d);
}

/* ---- answers ------------------------------------------------------------------------------ */

const struct trace *describe_trace(const struct describe *d)
{
	return d->trace;
}

struct trace_symbols *describe_symbols(const struct describe *d)
{
	return d->symbols;
}

const struct described *describe_find(const struct describe *d, struct event_id id)
{
	const uint64_t *at = map_get(&d->by_id, key_of(d, id));

	return at ? d->found.items[*at - 1] : NULL;
}

bool describe_place(struct describe *d, const struct trace_event *event,
		    struct describe_frame *frame)
{
	struct describe_frame frames[STACK_FRAMES];

	size_t count = stack_make(d->stacks, NULL, event, frames), i = 0;

	while (i + 1 < count && (!frames[i].file || !strncmp(frames[i].file, "/usr/", 5)))
		i++;
	if (!count)
		return false;
	*frame = frames[i];
	return true;
}

/* The first row of a lane that is not before an index. */
static size_t first_row(const struct describe_lane *lane, uint64_t index)
{
	size_t low = 0, high = lane->rows.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (lane->rows.items[middle].event.index < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t describe_rows(const struct describe *d, uint32_t stream, uint64_t from, uint64_t to,
		     const struct described **rows)
{
	uint32_t i = trace_find_stream(d->trace, stream);
	size_t first, last;

	*rows = NULL;
	if (i == TRACE_NONE)
		return 0;
	first = first_row(&d->lanes[i], from);
	last = first_row(&d->lanes[i], to);
	*rows = &d->lanes[i].rows.items[first];
	return last - first;
}

const struct described *describe_creation(const struct describe *d, uint32_t stream)
{
	const uint64_t *at = map_get(&d->creations, stream);

	return at ? d->found.items[*at - 1] : NULL;
}

const struct described *describe_begin(const struct describe *d, uint32_t stream)
{
	const struct described *first = describe_find(d, (struct event_id){ stream, 0 });

	return first && first->event.kind == EV_BEGIN ? first : NULL;
}

const char *describe_keep(struct describe *d, const char *text, size_t length)
{
	return intern_text(&d->texts, intern_put(&d->texts, text, length, NULL));
}

const char *describe_thread(struct describe *d, uint32_t stream)
{
	const char *name = trace_thread_name(d->trace, stream);
	char number[16];

	if (name)
		return name;
	int length = snprintf(number, sizeof number, "T%" PRIu32, stream);
	return describe_keep(d, number, (size_t)length);
}
