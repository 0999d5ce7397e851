/*
 * Merges the streams of a trace into one total order of all events. A heap, ordered by time, has
 * the streams whose next event may be possible. The other streams are parked, each with the key of
 * what it waits for. In a controlled recording the schedule picks the stream instead, until the
 * schedule is used up.
 */
#include "trace/order.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/vec.h"
#include "trace/schedule.h"

#include <assert.h>
#include <string.h>

struct order_number {
	uint64_t object, sequence;
};

/* What is known about the object at an address. */
struct order_object {
	size_t next, end; /* its events that are still to come: a range in `numbers` */
	uint32_t holder;  /* stream position + 1 */
	uint32_t depth;
};

struct order_head {
	struct trace_cursor *cursor;
	struct trace_event event;
	uint32_t host; /* position of the stream that this handler interrupts, or TRACE_NONE */
	/* position of the handler stream that interrupts this one, or TRACE_NONE */
	uint32_t handler;
	bool done, handling;
	uint64_t returned;  /* number of events of the stream before `event` */
	uint64_t waits_for; /* key of what a parked stream waits for */
};

struct trace_order {
	const struct trace *trace;
	struct order_head *heads;
	uint32_t count;
	VEC(struct order_number) numbers;
	VEC(struct order_object) objects;
	struct map index;    /* address to position + 1 in objects */
	struct map created;  /* stream number to 1: its CREATE is still to come; 2: it has come */
	struct map ended;    /* the same for its END */
	VEC(uint32_t) ready; /* a heap ordered by time */
	VEC(uint32_t) parked;
	VEC(char *) failures;
	/* position of the last event's stream; it is not in the heap, the next call advances it */
	uint32_t last;
	bool forced;
	/* true in a controlled recording until its schedule is used up; then the heap is filled */
	bool scheduled;
	struct schedule_walk walk;
	uint32_t *unscheduled; /* positions of the streams that the schedule does not order */
	size_t unscheduled_count;
};

/* Values of `waits_for` that are not the address of an object. */
#define KEY_CREATED(stream) (1ull << 62 | (stream))
#define KEY_ENDED(stream) (2ull << 62 | (stream))
#define KEY_STREAM(i) (3ull << 62 | (i))

/* ---- the heap -------------------------------------------------------------------------------- */

static bool is_earlier(const struct trace_order *o, uint32_t a, uint32_t b)
{
	const struct trace_event *x = &o->heads[a].event, *y = &o->heads[b].event;

	return x->time != y->time ? x->time < y->time : a < b;
}

static void heap_sink(struct trace_order *o, size_t i)
{
	uint32_t *heap = o->ready.items, item = heap[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= o->ready.count)
			break;
		if (child + 1 < o->ready.count && is_earlier(o, heap[child + 1], heap[child]))
			child++;
		if (!is_earlier(o, heap[child], item))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = item;
}

static void heap_push(struct trace_order *o, uint32_t item)
{
	size_t i = o->ready.count;

	*vec_push(&o->ready) = item;
	while (i && is_earlier(o, item, o->ready.items[(i - 1) / 2])) {
		o->ready.items[i] = o->ready.items[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	o->ready.items[i] = item;
}

static void heap_pop(struct trace_order *o)
{
	o->ready.items[0] = o->ready.items[--o->ready.count];
	if (o->ready.count)
		heap_sink(o, 0);
}

/* Moves the streams that wait for `key` back to the heap. */
static void unpark(struct trace_order *o, uint64_t key)
{
	for (size_t i = 0; i < o->parked.count;) {
		uint32_t item = o->parked.items[i];

		if (o->heads[item].waits_for == key) {
			o->parked.items[i] = o->parked.items[--o->parked.count];
			heap_push(o, item);
		} else {
			i++;
		}
	}
}

/* ---- the pass over the trace before the first event ------------------------------------------ */

SORT_COMPARISON(by_object, struct order_number, a, b,
		sort_order(a->object, b->object) ?: sort_order(a->sequence, b->sequence))

/* Collects the sequence numbers, thread creations and ends that are still to come in a stream. */
static void survey_stream(struct trace_order *o, uint32_t i)
{
	struct trace_cursor *cursor = trace_cursor_open(o->trace, i);
	uint64_t skip = o->heads[i].returned;
	struct trace_event ev;
	struct err err;

	while (trace_next(cursor, &ev, &err)) {
		if (skip) {
			skip--;
			continue;
		}
		if (ev.sequence)
			*vec_push(&o->numbers) = (struct order_number){ ev.address, ev.sequence };
		if (ev.kind == EV_CREATE)
			*map_put(&o->created, ev.number, NULL) = 1;
		else if (ev.kind == EV_END)
			*map_put(&o->ended, ev.stream, NULL) = 1;
	}
	trace_cursor_close(cursor);
}

static void index_objects(struct trace_order *o)
{
	const struct order_number *n = o->numbers.items;

	vec_sort(&o->numbers, by_object);
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

/* Links each handler's stream with the stream it interrupts, unless its position is unclear. */
static void link_handlers(struct trace_order *o)
{
	for (uint32_t i = 0; i < o->count; i++) {
		uint32_t number = trace_stream(o->trace, i)->host;
		uint32_t host =
			number == TRACE_NONE ? TRACE_NONE : trace_find_stream(o->trace, number);

		if (host == TRACE_NONE || host == i)
			continue;
		o->heads[i].host = host;
		/*
		 * Two streams of handlers interrupt this one, so one handler may have interrupted
		 * the other. Then the recorded position may be in the stream of the other handler,
		 * so both are ordered by time.
		 */
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

/* ---- advancing ------------------------------------------------------------------------------- */

static void advance(struct trace_order *o, uint32_t i)
{
	struct order_head *head = &o->heads[i];
	struct err err;

	head->returned++;
	err.text[0] = 0; /* does not clear all of `err`, because this runs for each event */
	if (trace_next(head->cursor, &head->event, &err)) {
		if (head->handler != TRACE_NONE)
			unpark(o, KEY_STREAM(i));
		return;
	}
	head->done = true;
	head->handling = false;
	if (err.text[0])
		*vec_push(&o->failures) = mem_copy_text(err.text, strlen(err.text));
	/* Other streams may wait for an event that this stream does not have: all try again. */
	while (o->parked.count)
		heap_push(o, o->parked.items[--o->parked.count]);
}

/*
 * From here on, sequence numbers and times give the order. After a schedule, usually only the
 * stream of the thread that ran last has events left. Then the pass over the trace is skipped.
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
			heap_push(o, i);
	}
}

/* ---- which events may come next -------------------------------------------------------------- */

static bool has_reached(const struct order_head *head, uint64_t block, uint64_t offset)
{
	struct trace_position at = trace_cursor_position(head->cursor);

	return head->done || at.block > block || (at.block == block && at.offset >= offset);
}

/*
 * Can the next event of stream i come, as far as signal handlers are concerned? A HANDLER waits
 * until the interrupted stream reaches the position of the interruption. The interrupted stream
 * then waits for the end of the handler.
 */
static bool handler_allows(struct trace_order *o, uint32_t i)
{
	struct order_head *head = &o->heads[i];

	if (head->host != TRACE_NONE && head->event.kind == EV_HANDLER &&
	    !has_reached(&o->heads[head->host], head->event.address, head->event.other)) {
		head->waits_for = KEY_STREAM(head->host);
		return false;
	}
	if (head->handler != TRACE_NONE) {
		const struct order_head *handler = &o->heads[head->handler];

		if (handler->handling ||
		    (!handler->done && handler->event.kind == EV_HANDLER &&
		     has_reached(head, handler->event.address, handler->event.other))) {
			head->waits_for = KEY_STREAM(head->handler);
			return false;
		}
	}
	return true;
}

/* Does another stream hold the mutex? A stream without further events does not hold it. */
static bool held_by_other(const struct trace_order *o, uint64_t mutex, uint32_t i)
{
	const struct order_object *object = object_at(o, mutex);

	return object && object->holder && object->holder != i + 1 &&
	       !o->heads[object->holder - 1].done;
}

static bool is_pending(const struct map *map, uint64_t stream)
{
	const uint64_t *state = map_get(map, stream);

	return state && *state == 1;
}

/* May the next event of stream i come now? If not, sets `waits_for` to the key it waits for. */
static bool may_come(struct trace_order *o, uint32_t i)
{
	struct order_head *head = &o->heads[i];
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
		return !is_pending(&o->created, ev->stream);
	case EV_JOIN:
		head->waits_for = KEY_ENDED(ev->number);
		return !is_pending(&o->ended, ev->number);
	}
	return true;
}

static void take_mutex(struct trace_order *o, uint64_t mutex, uint32_t i)
{
	struct order_object *object = object_at(o, mutex);

	if (!object)
		return;
	object->depth = object->holder == i + 1 ? object->depth + 1 : 1;
	object->holder = i + 1;
}

static void release_mutex(struct trace_order *o, uint64_t mutex, bool completely)
{
	struct order_object *object = object_at(o, mutex);

	if (!object || (!completely && object->depth > 1 && object->depth--))
		return;
	object->holder = object->depth = 0;
	unpark(o, mutex);
}

/*
 * Updates the state with the next event of stream i, which has now come, and wakes the streams that
 * waited for it.
 */
static void apply_event(struct trace_order *o, uint32_t i)
{
	struct order_head *head = &o->heads[i];
	const struct trace_event *ev = &head->event;
	struct order_object *object;

	if (event_group(ev->kind) == EG_ACCESS)
		return;
	if (ev->sequence && (object = object_at(o, ev->address))) {
		object->next += object->next < object->end;
		unpark(o, ev->address);
	}
	switch (ev->kind) {
	case EV_ACQUIRE: take_mutex(o, ev->address, i); break;
	case EV_RELEASE: release_mutex(o, ev->address, false); break;
	case EV_LOCK_INIT:
	case EV_LOCK_DESTROY: release_mutex(o, ev->address, true); break;
	case EV_WAIT: release_mutex(o, ev->other, true); break;
	case EV_WOKEN: take_mutex(o, ev->other, i); break;
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

/* ---- order by the schedule ------------------------------------------------------------------- */

/*
 * Returns the stream that comes next in the schedule, or TRACE_NONE if the schedule is used up. An
 * event that is not a step belongs to the slice of the step before it. But if a handler interrupts
 * the thread between them, the event comes later: other threads may have run during the handler.
 */
static uint32_t find_scheduled(struct trace_order *o)
{
	do {
		uint32_t i = o->walk.stream;

		if (i != TRACE_NONE && !o->heads[i].done &&
		    schedule_covers(&o->walk, &o->heads[i].event) &&
		    (schedule_is_inside(&o->walk, &o->heads[i].event) || handler_allows(o, i)))
			return i;
	} while (schedule_next_slice(&o->walk));
	return TRACE_NONE;
}

/*
 * Returns the stream whose event comes first: `running`, or one of the streams that the schedule
 * does not order. Of those, a handler that interrupts `running` here comes before it, and so does
 * any stream with an earlier time. If there are several (a handler in a handler, handlers of two
 * threads), the earliest comes first.
 */
static uint32_t find_unscheduled(struct trace_order *o, uint32_t running)
{
	uint32_t first = running;

	for (size_t k = 0; k < o->unscheduled_count; k++) {
		uint32_t i = o->unscheduled[k];

		if (!o->heads[i].done && o->heads[i].host == running && may_come(o, i))
			first = i;
	}
	for (size_t k = 0; k < o->unscheduled_count; k++) {
		uint32_t i = o->unscheduled[k];

		if (!o->heads[i].done && is_earlier(o, i, first) && may_come(o, i))
			first = i;
	}
	return first;
}

/* Returns TRACE_NONE once the schedule is used up: then pick_earliest() picks the streams. */
static uint32_t pick_scheduled(struct trace_order *o)
{
	uint32_t running;

	if (o->last != TRACE_NONE) {
		apply_event(o, o->last);
		advance(o, o->last);
		o->last = TRACE_NONE;
	}
	running = find_scheduled(o);
	if (running != TRACE_NONE)
		return find_unscheduled(o, running);
	o->scheduled = false;
	start_heap(o);
	return TRACE_NONE;
}

/* ---- order by sequence numbers and times ----------------------------------------------------- */

/* Takes the stream with the lowest time out of the heap. Returns TRACE_NONE if none is ready. */
static uint32_t pick_earliest(struct trace_order *o)
{
	uint32_t last = o->last, top;

	if (last != TRACE_NONE) { /* as long as the last stream stays first, avoids the heap */
		o->last = TRACE_NONE;
		apply_event(o, last);
		advance(o, last);
		if (!o->heads[last].done) {
			if (!o->ready.count || !is_earlier(o, o->ready.items[0], last))
				return last;
			heap_push(o, last);
		}
	}
	if (!o->ready.count)
		return TRACE_NONE;
	top = o->ready.items[0];
	heap_pop(o);
	return top;
}

/* ---- the order's interface ------------------------------------------------------------------- */

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
		o->heads[i].returned = 0; /* no events precede the first one */
	}
	if (o->scheduled)
		o->unscheduled_count = schedule_find_others(trace, &o->unscheduled);
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
	free(o->heads);
	vec_free(&o->numbers);
	vec_free(&o->objects);
	vec_free(&o->ready);
	vec_free(&o->parked);
	vec_free_all(&o->failures);
	free(o->unscheduled);
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
		i = pick_earliest(o);
		if (i == TRACE_NONE) {
			if (!o->parked.count)
				return false;
			while (o->parked.count)
				heap_push(o, o->parked.items[--o->parked.count]);
			o->forced = true;
			continue;
		}
		if (o->forced || may_come(o, i))
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
