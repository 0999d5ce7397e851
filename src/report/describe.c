/*
 * Collects which events are needed of each stream, reads each stream once, and then answers from
 * the events that were read.
 */
#include "report/describe.h"

#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "report/stack.h"
#include "trace/point_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Indices of a stream, or addresses, x with from <= x < to. */
struct describe_range {
	uint64_t from, to;
};
typedef VEC(struct describe_range) range_list;

/* What is needed of a stream, and the rows that were found in it. */
struct describe_stream {
	VEC(uint64_t) wanted; /* indices of single events; sorted and unique before the pass */
	range_list ranges; /* indices from the start of the window to the last step of a witness */
	VEC(uint32_t) children; /* threads whose CREATE may be in this stream */
	VEC(struct described) rows;
	bool begin; /* the BEGIN of this stream is needed */
};

/* The name that a lock without a symbol has in the whole report. */
struct lock_name {
	uint64_t address;
	const char *name;
};

struct describe {
	const struct trace *trace;
	struct trace_symbols *symbols;
	struct stack_maker *stacks;
	struct describe_stream *streams; /* by position of the stream */
	range_list bytes; /* memory that findings access; no other access becomes a row */
	VEC(struct described *) found;
	struct map by_id;     /* from an event to 1 + its index in `found` */
	struct map creations; /* from a created stream to 1 + the index of its CREATE in `found` */
	struct intern texts;
	VEC(struct lock_name) lock_names;
};

/*
 * Returns a map key. It contains the position of the stream, which is small, and not the stream's
 * number, which can be any 32-bit value.
 */
static uint64_t key_of(const struct describe *d, struct event_id id)
{
	return (uint64_t)trace_find_stream(d->trace, id.stream) << 40 | id.index;
}

/* ---- collecting what is wanted --------------------------------------------------------------- */

static struct describe_stream *find_stream(struct describe *d, uint32_t stream)
{
	uint32_t i = trace_find_stream(d->trace, stream);

	return i == TRACE_NONE ? NULL : &d->streams[i];
}

static void want_id(struct describe *d, struct event_id id)
{
	struct describe_stream *s = find_stream(d, id.stream);

	if (s)
		*vec_push(&s->wanted) = id.index;
}

/*
 * Requests the creation of a thread. In a text trace, BEGIN does not name the creator, so the
 * CREATE may be in any stream.
 */
static void want_creation(struct describe *d, uint32_t stream)
{
	struct describe_stream *s = find_stream(d, stream);

	if (!s || s->begin)
		return;
	s->begin = true;
	if (trace_is_text(d->trace)) {
		for (uint32_t i = 0; i < trace_stream_count(d->trace); i++)
			*vec_push(&d->streams[i].children) = stream;
	}
}

static void want_event(struct describe *d, const struct finding_event *e)
{
	want_id(d, e->id);
	want_creation(d, e->id.stream);
	for (size_t i = 0; i < e->held.count; i++)
		want_id(d, e->held.items[i].taken);
	if (e->in_block)
		want_id(d, e->block.allocated);
	if (e->size)
		*vec_push(&d->bytes) = (struct describe_range){ e->address, e->address + e->size };
}

static uint64_t start_of(const struct finding *f, uint32_t stream)
{
	for (size_t i = 0; i < f->start.count; i++) {
		if (f->start.items[i].stream == stream)
			return f->start.items[i].index;
	}
	return 0;
}

/*
 * Requests the rows of a witness: for each of its streams, from the start of the window to the last
 * step.
 */
static void want_rows(struct describe *d, const struct finding *f)
{
	struct map last = { 0 };

	for (size_t i = 0; i < f->steps.count; i++)
		*map_put(&last, f->steps.items[i].stream, NULL) = f->steps.items[i].index + 1;
	for (uint32_t i = 0; i < trace_stream_count(d->trace); i++) {
		uint32_t stream = trace_stream(d->trace, i)->number;
		const uint64_t *to = map_get(&last, stream);

		if (to)
			*vec_push(&d->streams[i].ranges) =
				(struct describe_range){ start_of(f, stream), *to };
	}
	map_free(&last);
}

SORT_COMPARISON(by_from, struct describe_range, a, b, sort_order(a->from, b->from))

/* Sorts ranges and joins those that touch or overlap. */
static void sort_ranges(range_list *ranges)
{
	size_t n = 0;

	vec_sort(ranges, by_from);
	for (size_t i = 0; i < ranges->count; i++) {
		struct describe_range *r = &ranges->items[i], *last = &ranges->items[n - !!n];

		if (n && r->from <= last->to)
			last->to = r->to > last->to ? r->to : last->to;
		else
			ranges->items[n++] = *r;
	}
	ranges->count = n;
}

static void sort_wanted(struct describe_stream *s)
{
	size_t n = 0;

	vec_sort(&s->wanted, sort_u64);
	for (size_t i = 0; i < s->wanted.count; i++) {
		if (!n || s->wanted.items[n - 1] != s->wanted.items[i])
			s->wanted.items[n++] = s->wanted.items[i];
	}
	s->wanted.count = n;
	sort_ranges(&s->ranges);
}

/* ---- reading the streams --------------------------------------------------------------------- */

static bool touches_bytes(const struct describe *d, const struct trace_event *ev)
{
	size_t at;

	SEARCH_FIRST(at, d->bytes.count, d->bytes.items[at].to > ev->address);
	return at < d->bytes.count && d->bytes.items[at].from < ev->address + ev->size;
}

/*
 * Does the event get a row? It must be one that another thread can notice; accesses must touch the
 * memory of a finding.
 */
static bool is_row(const struct describe *d, const struct trace_event *ev)
{
	switch (event_group(ev->kind)) {
	case EG_NOTE:
	case EG_MEMORY:
	case EG_FUNCTION: return false;
	case EG_ACCESS: return touches_bytes(d, ev);
	case EG_ATOMIC: return ev->kind != EV_FENCE;
	default: break;
	}
	switch (ev->kind) {
	case EV_DETACH:
	case EV_REQUEST: /* a request that was never granted is an event of the finding itself */
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

static const char *point_text(struct describe *d, const struct trace_cursor *cursor,
			      const struct trace_event *ev)
{
	struct text_stream text;
	struct trace_point point;

	if (event_group(ev->kind) != EG_FUNCTION || !trace_read_point(cursor, ev, &point))
		return NULL;
	point_print(text_begin(&text), &point);
	return text_end(&text, d);
}

/* Keeps the event with its stack. Returns 1 + its index in `found`. */
static size_t keep_event(struct describe *d, const struct trace_cursor *cursor,
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
	one->point = point_text(d, cursor, ev);
	size_t count = stack_make(d->stacks, cursor, ev, frames);
	for (size_t i = 0; i < count; i++)
		*vec_push(&one->stack) = frames[i];
	*vec_push(&d->found) = one;
	return *at = d->found.count;
}

/*
 * Handles BEGIN and CREATE. A BEGIN names the creator, whose stream is then searched for the
 * CREATE. That stream is read later, because a creator has a lower number than the threads that it
 * creates and streams are read from the last to the first.
 */
static void keep_thread(struct describe *d, struct describe_stream *s,
			const struct trace_cursor *cursor, const struct trace_event *ev)
{
	if (ev->kind == EV_BEGIN && s->begin) {
		struct describe_stream *creator = find_stream(d, (uint32_t)ev->number);

		keep_event(d, cursor, ev);
		if (creator && ev->stream)
			*vec_push(&creator->children) = ev->stream;
		return;
	}
	for (size_t i = 0; ev->kind == EV_CREATE && i < s->children.count; i++) {
		if (s->children.items[i] != ev->number)
			continue;
		s->children.items[i] = s->children.items[--s->children.count];
		*map_put(&d->creations, ev->number, NULL) = keep_event(d, cursor, ev);
	}
}

static bool has_all(const struct describe_stream *s, uint64_t index, size_t wanted, size_t range)
{
	return wanted == s->wanted.count && range == s->ranges.count && !s->children.count &&
	       (index || !s->begin);
}

/* Reads one stream. Stops at an error in it, which the prediction has reported already. */
static void read_stream(struct describe *d, uint32_t i)
{
	struct describe_stream *s = &d->streams[i];
	struct trace_cursor *cursor;
	struct trace_event ev;
	struct err err = { 0 };
	size_t wanted = 0, range = 0;
	bool shown;

	if (has_all(s, 0, 0, 0))
		return;
	cursor = trace_cursor_open(d->trace, i);
	while (trace_next(cursor, &ev, &err)) {
		if (ev.index == TRACE_NO_INDEX)
			continue;
		if (event_group(ev.kind) == EG_THREAD)
			keep_thread(d, s, cursor, &ev);
		shown = false;
		if (wanted < s->wanted.count && s->wanted.items[wanted] == ev.index) {
			size_t at = keep_event(d, cursor, &ev);
			/* keep it as a row: rows.c decides which findings show it */
			shown = d->found.items[at - 1]->point != NULL ||
				event_group(ev.kind) == EG_ACCESS ||
				event_group(ev.kind) == EG_MEMORY || ev.kind == EV_DETACH;
			wanted++;
		}
		if (range < s->ranges.count && ev.index >= s->ranges.items[range].from &&
		    (shown || is_row(d, &ev)))
			*vec_push(&s->rows) = describe_event(&ev);
		if (range < s->ranges.count && ev.index + 1 >= s->ranges.items[range].to)
			range++;
		if (has_all(s, ev.index + 1, wanted, range))
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

/* Requests the events of findings and of leads: a lead becomes a finding if a run confirms it. */
static void want_all(struct describe *d, const struct describe_request *r)
{
	for (size_t i = 0; i < r->result->findings.count; i++)
		want_finding(d, &r->result->findings.items[i], r->rows);
	for (size_t i = 0; i < r->result->leads.count; i++)
		want_finding(d, &r->result->leads.items[i], r->rows);
	for (size_t i = 0; i < r->also_count; i++) {
		want_id(d, r->also[i]);
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
	d->streams = mem_zalloc(streams, sizeof *d->streams);
	d->stacks = stack_open(d, text ? r->path : NULL);
	want_all(d, r);
	sort_ranges(&d->bytes);
	for (uint32_t i = streams; i-- > 0;) {
		sort_wanted(&d->streams[i]);
		read_stream(d, i);
	}
	return d;
}

void describe_close(struct describe *d)
{
	for (uint32_t i = 0; i < trace_stream_count(d->trace); i++) {
		vec_free(&d->streams[i].wanted);
		vec_free(&d->streams[i].ranges);
		vec_free(&d->streams[i].children);
		vec_free(&d->streams[i].rows);
	}
	for (size_t i = 0; i < d->found.count; i++) {
		vec_free(&d->found.items[i]->stack);
		free(d->found.items[i]);
	}
	vec_free(&d->found);
	vec_free(&d->bytes);
	vec_free(&d->lock_names);
	map_free(&d->by_id);
	map_free(&d->creations);
	intern_free(&d->texts);
	stack_close(d->stacks);
	trace_symbols_close(d->symbols);
	free(d->streams);
	free(d);
}

/* ---- access to the result -------------------------------------------------------------------- */

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

const struct describe_frame *describe_innermost(const struct describe_frame *frames, size_t count)
{
	size_t i = 0;

	while (i < count && (!frames[i].file || !strncmp(frames[i].file, "/usr/", 5)))
		i++;
	return count ? &frames[i < count ? i : 0] : NULL;
}

bool describe_site(struct describe *d, const struct trace_event *event,
		   struct describe_frame *frame)
{
	struct describe_frame frames[STACK_FRAMES];

	size_t count = stack_make(d->stacks, NULL, event, frames);

	if (!count)
		return false;
	*frame = *describe_innermost(frames, count);
	return true;
}

/* Returns the index of the first row for an event with an index of at least `index`. */
static size_t first_row(const struct describe_stream *s, uint64_t index)
{
	size_t at;

	SEARCH_FIRST(at, s->rows.count, s->rows.items[at].event.index >= index);
	return at;
}

size_t describe_rows(const struct describe *d, uint32_t stream, uint64_t from, uint64_t to,
		     const struct described **rows)
{
	uint32_t i = trace_find_stream(d->trace, stream);
	size_t first, last;

	*rows = NULL;
	if (i == TRACE_NONE)
		return 0;
	first = first_row(&d->streams[i], from);
	last = first_row(&d->streams[i], to);
	*rows = &d->streams[i].rows.items[first];
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

const char *describe_format(struct describe *d, const char *format, ...)
{
	struct text_stream text;
	va_list list;

	text_begin(&text);
	va_start(list, format);
	vfprintf(text.out, format, list);
	va_end(list);
	return text_end(&text, d);
}

FILE *text_begin(struct text_stream *stream)
{
	return stream->out = mem_stream(&stream->text, &stream->size);
}

const char *text_end(struct text_stream *stream, struct describe *d)
{
	const char *kept;

	mem_stream_close(stream->out);
	kept = describe_keep(d, stream->text, stream->size);
	free(stream->text);
	return kept;
}

const char *describe_lock(struct describe *d, uint64_t address, const char *expression)
{
	const struct lock_name *names = d->lock_names.items;

	for (size_t i = 0; i < d->lock_names.count; i++)
		if (names[i].address == address)
			return names[i].name;
	if (!expression)
		expression = describe_format(d, "0x%" PRIx64, address);
	*vec_push(&d->lock_names) = (struct lock_name){ address, expression };
	return expression;
}

const char *describe_thread(struct describe *d, uint32_t stream)
{
	const char *name = trace_thread_name(d->trace, stream);

	return name ? name : describe_format(d, "T%" PRIu32, stream);
}
