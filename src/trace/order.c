#include "trace/order.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "trace/schedule.h"

#include <assert.h>
#include <string.h>

struct number {
	uint64_t object, sequence;
};

/* The state of what events happen to, by address. */
struct order_object {
	size_t next, end; /* in numbers: whose turn it is */
	uint32_t holder;  /* stream position + 1 */
	uint32_t depth;
};

struct head {
	struct trace_cursor *cursor;
	struct trace_event event;
	uint32_t host;	  /* position of the stream a handler interrupts, TRACE_NONE */
	uint32_t handler; /* position of the stream that interrupts this one, TRACE_NONE */
	bool done, handling;
	uint64_t given;	    /* how many events came before this one */
	uint64_t waits_for; /* a key, when parked */
};

struct trace_order {
	const struct trace *trace;
	struct head *heads;
	uint32_t count;
	VEC(struct number) numbers;
	VEC(struct order_object) objects;
	struct map index;    /* address to position + 1 in objects */
	struct map created;  /* stream number: 1 a CREATE is there, 2 it has come */
	struct map ended;    /* the same for END */
	VEC(uint32_t) ready; /* a heap by time */
	VEC(uint32_t) parked;
	VEC(char *) failures;
	uint32_t last; /* whose event was given out: not in the heap, moves on with the next call */
	bool forced;
	/* a controlled recording, as long as its schedule lasts; then the heap is filled */
	bool scheduled;
	struct schedule_walk walk;
	uint32_t *beside; /* positions of streams that the schedule does not order */
	size_t beside_count;
};

/* Keys that a parked stream can wait for, besides addresses. */
#define KEY_CREATED(stream) (1ull << 62 | (stream))
#define KEY_ENDED(stream) (2ull << 62 | (stream))
#define KEY_STREAM(i) (3ull << 62 | (i))

/* ---- the heap ----------------------------------------------------------------------------- */

static bool before(const struct trace_order *o, uint32_t a, uint32_t b)
{
	const struct trace_event *x = &o->heads[a].event, *y = &o->heads[b].event;

	return x->time != y->time ? x->time < y->time : a < b;
}

static void sink(struct trace_order *o, size_t i)
{
	uint32_t *heap = o->ready.items, item = heap[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= o->ready.count)
			break;
		if (child + 1 < o->ready.count && before(o, heap[child + 1], heap[child]))
			child++;
		if (!before(o, heap[child], item))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = item;
}

static void push(struct trace_order *o, uint32_t item)
{
	size_t i = o->ready.count;

	*vec_push(&o->ready) = item;
	while (i && before(o, item, o->ready.items[(i - 1) / 2])) {
		o->ready.items[i] = o->ready.items[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	o->ready.items[i] = item;
}

static void pop(struct trace_order *o)
{
	o->ready.items[0] = o->ready.items[--o->ready.count];
	if (o->ready.count)
		sink(o, 0);
}

/* What waited for `key` may try again. */
static void unpark(struct trace_order *o, uint64_t key)
{
	for (size_t i = 0; i < o->parked.count;) {
		uint32_t item = o->parked.items[i];

		if (o->heads[item].waits_for == key) {
			o->parked.items[i] = o->parked.items[--o->parked.count];
			push(o, item);
		} else {
			i++;
		}
	}
}

/* ---- the pass before ---------------------------------------------------------------------- */

static int compare(const void *left, const void *right)
{
	const struct number *a = left, *b = right;

	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return (a->sequence > b->sequence) - (a->sequence < b->sequence);
}

/* What of a stream is still to come. */
static void survey_stream(struct trace_order *o, uint32_t i)
{
	struct trace_cursor *cursor = trace_cursor_open(o->trace, i);
	uint64_t skip = o->heads[i].given;
	struct trace_event ev;
	struct err err;

	while (trace_next(cursor, &ev, &err)) {
		if (skip) {
			skip--;
			continue;
		}
		if (ev.sequence)
			*vec_push(&o->numbers) = (struct number){ ev.address, ev.sequence };
		if (ev.kind == EV_CREATE)
			*map_put(&o->created, ev.number, NULL) = 1;
		else if (ev.kind == EV_END)
			*map_put(&o->ended, ev.stream, NULL) = 1;
	}
	trace_cursor_close(cursor);
}

static void index_objects(struct trace_order *o)
{
	const struct number *n = o->numbers.items;

	if (o->numbers.count)
		qsort(o->numbers.items, o->numbers.count, sizeof *n, compare);
	for (size_t i = 0; i < o->numbers.count; i++) {
		if (!i || n[i].object != n[i - 1].object) {
			*vec_push(&o->objects) = (struct order_object){ .next = i };
			*map_put(&o->index, n[i].object, NULL) = o->objects.count;
		}
		o->objects.items[o->objects.count - 1].end = i + 1;
	}
}

static struct order_object *object_at(const struct trace_order *o, uint64_t address)
{
	const uint64_t *i = map_get(&o->index, address);

	return i ? &o->objects.items[*i - 1] : NULL;
}

/* Handlers find their place in the stream they interrupt, unless that cannot be known. */
static void link_handlers(struct trace_order *o)
{
	const char *log = trace_meta(o->trace, "log");
	bool by_position = !log || strcmp(log, "global");

	for (uint32_t i = 0; i < o->count; i++) {
		uint32_t number = trace_stream(o->trace, i)->host;
		uint32_t host =
			number == TRACE_NONE ? TRACE_NONE : trace_find_stream(o->trace, number);

		if (host == TRACE_NONE || host == i || !by_position)
			continue;
		o->heads[i].host = host;
		/* With handlers inside handlers the position is in one of them: go by time. */
		if (o->heads[host].handler != TRACE_NONE) {
			o->heads[o->heads[host].handler].host = TRACE_NONE;
			o->heads[i].host = TRACE_NONE;
		}
		o->heads[host].handler = i;
	}
	for (uint32_t i = 0; i < o->count; i++) {
		uint32_t handler = o->heads[i].handler;

		if (handler != TRACE_NONE && o->heads[handler].host == TRACE_NONE)
			o->heads[i].handler = TRACE_NONE;
	}
}

/* ---- moving on ---------------------------------------------------------------------------- */

static void advance(struct trace_order *o, uint32_t i)
{
	struct head *head = &o->heads[i];
	struct err err;

	head->given++;
	err.text[0] = 0; /* not all of it: this is done for each event */
	if (trace_next(head->cursor, &head->event, &err)) {
		if (head->handler != TRACE_NONE)
			unpark(o, KEY_STREAM(i));
		return;
	}
	head->done = true;
	head->handling = false;
	if (err.text[0])
		*vec_push(&o->failures) = mem_copy_text(err.text, strlen(err.text));
	/* Whatever others wait for here will not come: let all try again. */
	while (o->parked.count)
		push(o, o->parked.items[--o->parked.count]);
}

/*
 * From here on by numbers and times. Behind a schedule mostly one stream is left, that of the thread
 * that ran last, and nothing has to be looked up.
 */
static void start_heap(struct trace_order *o)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < o->count; i++)
		left += !o->heads[i].done;
	for (uint32_t i = 0; i < o->count && !trace_is_text(o->trace); i++) {
		if (left > 1 || !o->walk.count)
			survey_stream(o, i);
	}
	index_objects(o);
	for (uint32_t i = 0; i < o->count; i++) {
		if (!o->heads[i].done)
			push(o, i);
	}
}

/* ---- what may come next ------------------------------------------------------------------- */

static bool reached(const struct head *head, uint64_t block, uint64_t offset)
{
	struct trace_position at = trace_cursor_position(head->cursor);

	return head->done || at.block > block || (at.block == block && at.offset >= offset);
}

/* A handler waits for its place, and the stream it interrupts there for its end. */
static bool handler_allows(struct trace_order *o, uint32_t i)
{
	struct head *head = &o->heads[i];

	if (head->host != TRACE_NONE && head->event.kind == EV_HANDLER &&
	    !reached(&o->heads[head->host], head->event.address, head->event.other)) {
		head->waits_for = KEY_STREAM(head->host);
		return false;
	}
	if (head->handler != TRACE_NONE) {
		const struct head *handler = &o->heads[head->handler];

		if (handler->handling ||
		    (!handler->done && handler->event.kind == EV_HANDLER &&
		     reached(head, handler->event.address, handler->event.other))) {
			head->waits_for = KEY_STREAM(head->handler);
			return false;
		}
	}
	return true;
}

/* Is the mutex somebody else's? One whose stream has come to its end holds nothing any more. */
static bool held_by_other(const struct trace_order *o, uint64_t mutex, uint32_t i)
{
	const struct order_object *object = object_at(o, mutex);

	return object && object->holder && object->holder != i + 1 &&
	       !o->heads[object->holder - 1].done;
}

static bool pending(const struct map *map, uint64_t stream)
{
	const uint64_t *state = map_get(map, stream);

	return state && *state == 1;
}

/* May the head of stream i come now? If not, `waits_for` says for what it waits. */
static bool allowed(struct trace_order *o, uint32_t i)
{
	struct head *head = &o->heads[i];
	const struct trace_event *ev = &head->event;
	const struct order_object *object;

	if ((head->host != TRACE_NONE || head->handler != TRACE_NONE) && !handler_allows(o, i))
		return false;
	if (event_group(ev->kind) <= EG_ACCESS)
		return true;
	if (ev->sequence && (object = object_at(o, ev->address)) && object->next < object->end &&
	    o->numbers.items[object->next].sequence < ev->sequence) {
		head->waits_for = ev->address;
		return false;
	}
	switch (ev->kind) {
	case EV_ACQUIRE: head->waits_for = ev->address; return !held_by_other(o, ev->address, i);
	case EV_WOKEN: head->waits_for = ev->other; return !held_by_other(o, ev->other, i);
	case EV_BEGIN:
		head->waits_for = KEY_CREATED(ev->stream);
		return !pending(&o->created, ev->stream);
	case EV_JOIN:
		head->waits_for = KEY_ENDED(ev->number);
		return !pending(&o->ended, ev->number);
	}
	return true;
}

static void take(struct trace_order *o, uint64_t mutex, uint32_t i)
{
	struct order_object *object = object_at(o, mutex);

	if (!object)
		return;
	object->depth = object->holder == i + 1 ? object->depth + 1 : 1;
	object->holder = i + 1;
}

static void give(struct trace_order *o, uint64_t mutex, bool wholly)
{
	struct order_object *object = object_at(o, mutex);

	if (!object || (!wholly && object->depth > 1 && object->depth--))
		return;
	object->holder = object->depth = 0;
	unpark(o, mutex);
}

/* The head of stream i has come: who waited for that? */
static void apply(struct trace_order *o, uint32_t i)
{
	struct head *head = &o->heads[i];
	const struct trace_event *ev = &head->event;
	struct order_object *object;

	if (event_group(ev->kind) == EG_ACCESS)
		return;
	if (ev->sequence && (object = object_at(o, ev->address))) {
		object->next += object->next < object->end;
		unpark(o, ev->address);
	}
	switch (ev->kind) {
	case EV_ACQUIRE: take(o, ev->address, i); break;
	case EV_RELEASE: give(o, ev->address, false); break;
	case EV_LOCK_INIT:
	case EV_LOCK_DESTROY: give(o, ev->address, true); break;
	case EV_WAIT: give(o, ev->other, true); break;
	case EV_WOKEN: take(o, ev->other, i); break;
	case EV_CREATE:
		*map_put(&o->created, ev->number, NULL) = 2;
		unpark(o, KEY_CREATED(ev->number));
		break;
	case EV_END:
		*map_put(&o->ended, ev->stream, NULL) = 2;
		unpark(o, KEY_ENDED(ev->stream));
		break;
	case EV_HANDLER: head->handling = head->host != TRACE_NONE; break;
	case EV_HANDLER_END:
		head->handling = false;
		unpark(o, KEY_STREAM(i));
		break;
	}
}

/* ---- by the schedule ---------------------------------------------------------------------- */

/*
 * Whose turn it is; TRACE_NONE: the schedule is used up. What is no step is part of the run of the step
 * before it, unless a handler is between them, which may have waited: then others came first.
 */
static uint32_t find_running(struct trace_order *o)
{
	do {
		uint32_t i = o->walk.stream;

		if (i != TRACE_NONE && !o->heads[i].done &&
		    schedule_covers(&o->walk, &o->heads[i].event) &&
		    (schedule_is_inside(&o->walk, &o->heads[i].event) || handler_allows(o, i)))
			return i;
	} while (schedule_next_run(&o->walk));
	return TRACE_NONE;
}

/*
 * A stream beside the schedule whose event comes before that of `running`: a handler that cuts in on
 * it, otherwise by time. Of several the first by time: a handler in a handler, those of two threads.
 */
static uint32_t find_beside(struct trace_order *o, uint32_t running)
{
	uint32_t first = running;

	for (size_t k = 0; k < o->beside_count; k++) {
		uint32_t i = o->beside[k];

		if (!o->heads[i].done && o->heads[i].host == running && allowed(o, i))
			first = i;
	}
	for (size_t k = 0; k < o->beside_count; k++) {
		uint32_t i = o->beside[k];

		if (!o->heads[i].done && before(o, i, first) && allowed(o, i))
			first = i;
	}
	return first;
}

/* TRACE_NONE: from here on pick() knows. */
static uint32_t pick_scheduled(struct trace_order *o)
{
	uint32_t running;

	if (o->last != TRACE_NONE) {
		apply(o, o->last);
		advance(o, o->last);
		o->last = TRACE_NONE;
	}
	running = find_running(o);
	if (running != TRACE_NONE)
		return find_beside(o, running);
	o->scheduled = false;
	start_heap(o);
	return TRACE_NONE;
}

/* ---- by numbers and times ----------------------------------------------------------------- */

/* The stream with the lowest time, taken out of the heap; TRACE_NONE when none is ready. */
static uint32_t pick(struct trace_order *o)
{
	uint32_t last = o->last, top;

	if (last != TRACE_NONE) { /* the heap is left alone while one stream runs on */
		o->last = TRACE_NONE;
		apply(o, last);
		advance(o, last);
		if (!o->heads[last].done) {
			if (!o->ready.count || !before(o, o->ready.items[0], last))
				return last;
			push(o, last);
		}
	}
	if (!o->ready.count)
		return TRACE_NONE;
	top = o->ready.items[0];
	pop(o);
	return top;
}

/* ---- the public face ---------------------------------------------------------------------- */

struct trace_order *trace_order_open(const struct trace *trace)
{
	struct trace_order *o = mem_zalloc(1, sizeof *o);

	o->trace = trace;
	o->count = trace_stream_count(trace);
	o->heads = mem_zalloc(o->count, sizeof *o->heads);
	o->last = TRACE_NONE;
	for (uint32_t i = 0; i < o->count; i++)
		o->heads[i].host = o->heads[i].handler = TRACE_NONE;
	if (!trace_is_text(trace))
		link_handlers(o);
	o->scheduled = schedule_start(&o->walk, trace);
	for (uint32_t i = 0; i < o->count; i++) {
		o->heads[i].cursor = trace_cursor_open(trace, i);
		advance(o, i);
		o->heads[i].given = 0; /* the first is at hand, not given */
	}
	if (o->scheduled)
		o->beside_count = schedule_find_others(trace, &o->beside);
	else
		start_heap(o);
	return o;
}

void trace_order_close(struct trace_order *o)
{
	if (!o)
		return;
	for (uint32_t i = 0; i < o->count; i++)
		trace_cursor_close(o->heads[i].cursor);
	for (size_t i = 0; i < o->failures.count; i++)
		free(o->failures.items[i]);
	free(o->heads);
	vec_free(&o->numbers);
	vec_free(&o->objects);
	vec_free(&o->ready);
	vec_free(&o->parked);
	vec_free(&o->failures);
	free(o->beside);
	map_free(&o->index);
	map_free(&o->created);
	map_free(&o->ended);
	free(o);
}

bool trace_order_next(struct trace_order *o, struct trace_event *ev)
{
	uint32_t i;

	o->forced = false;
	if (o->scheduled && (i = pick_scheduled(o)) != TRACE_NONE) {
		o->last = i;
		*ev = o->heads[i].event;
		return true;
	}
	for (;;) {
		i = pick(o);
		if (i == TRACE_NONE) {
			if (!o->parked.count)
				return false;
			while (o->parked.count)
				push(o, o->parked.items[--o->parked.count]);
			o->forced = true;
			continue;
		}
		if (o->forced || allowed(o, i))
			break;
		*vec_push(&o->parked) = i;
	}
	o->last = i;
	*ev = o->heads[i].event;
	return true;
}

const struct trace_cursor *trace_order_cursor(const struct trace_order *o)
{
	assert(o->last != TRACE_NONE);
	return o->heads[o->last].cursor;
}

bool trace_order_was_forced(const struct trace_order *o)
{
	return o->forced;
}

size_t trace_order_failure_count(const struct trace_order *o)
{
	return o->failures.count;
}

const char *trace_order_failure(const struct trace_order *o, size_t i)
{
	assert(i < o->failures.count);
	return o->failures.items[i];
}
