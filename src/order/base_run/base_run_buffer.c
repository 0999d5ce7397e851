/* Queues of events that are held back, with their accesses to shared memory split into spots. */
#include "order/base_run/base_run_buffer.h"

#include "base/mem.h"
#include "order/base_run/share_survey.h"

#include <string.h>

#define PARTS_MAX 64 /* accesses to more spots than this are not followed */

void buffer_queue_put(struct buffer_queue *q, uint64_t item)
{
	if (q->first > 1024 && q->first > q->items.count / 2) {
		q->items.count -= q->first;
		memmove(q->items.items, q->items.items + q->first,
			q->items.count * sizeof *q->items.items);
		q->first = 0;
	}
	*vec_push(&q->items) = item;
}

static struct buffer_entry *add_entry(struct buffer_stream *stream)
{
	uint32_t room = stream->room ? stream->room * 2 : 64;
	struct buffer_entry *entries;

	if (stream->count < stream->room)
		return buffer_entry(stream, stream->count++);
	entries = mem_zalloc(room, sizeof *entries);
	for (uint32_t i = 0; i < stream->count; i++)
		entries[i] = *buffer_entry(stream, i);
	free(stream->entries);
	stream->entries = entries;
	stream->room = room;
	stream->first = 0;
	return buffer_entry(stream, stream->count++);
}

static void copy_values(struct buffer_entry *e, const struct base_run_event *ev)
{
	size_t bytes = ev->unit;

	e->event.value = e->event.old = NULL;
	if (!ev->value || !bytes)
		return;
	memcpy(vec_reserve(&e->bytes, 2 * bytes), ev->value, bytes);
	e->event.value = e->bytes.items;
	if (ev->old) {
		memcpy(e->bytes.items + bytes, ev->old, bytes);
		e->event.old = e->bytes.items + bytes;
	}
}

/* All kinds of events except plain accesses and function events keep their order. */
static bool is_ordered(uint8_t kind)
{
	enum event_group group = event_group(kind);

	return group != EG_ACCESS && group != EG_FUNCTION;
}

struct buffer_entry *buffer_put(struct buffer_stream *stream, const struct base_run_event *ev,
				uint64_t position, uint64_t time)
{
	struct buffer_entry *e;

	if (!stream->count)
		stream->done = position;
	e = add_entry(stream);
	e->event = *ev;
	e->position = position;
	e->time = time;
	e->ordered = is_ordered(ev->kind);
	e->plan = 0;
	e->bytes.count = e->parts.count = 0;
	copy_values(e, ev);
	if (e->ordered) {
		buffer_queue_put(&stream->syncs, position);
		stream->after_sync = position + 1;
	}
	e->after_sync = stream->after_sync;
	return e;
}

static uint64_t part_value(const uint8_t *bytes, uint32_t unit, uint64_t from, unsigned offset,
			   unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)bytes[(from + i) % unit] << 8 * (offset + i);
	return value;
}

/* Adds an event's access to one spot. An update is a read and a write. */
static void add_part(struct buffer_entry *e, struct base_run_memory *memory, uint64_t after_sync,
		     uint64_t low, uint64_t high)
{
	const struct base_run_event *ev = &e->event;
	bool update = ev->kind == EV_ATOMIC_UPDATE;
	unsigned offset = low % 8, size = (unsigned)(high - low);
	struct spot_access t = { .position = e->position,
				 .time = e->time,
				 .after_sync = after_sync,
				 .spot = base_run_memory_find_spot(memory, low),
				 .mask = (uint8_t)(((1u << size) - 1) << offset) };

	for (unsigned write = 0; write < 2; write++) {
		const uint8_t *bytes = update && !write ? ev->old : ev->value;

		if (write ? ev->kind == EV_READ || ev->kind == EV_ATOMIC_READ
			  : ev->kind == EV_WRITE || ev->kind == EV_ATOMIC_WRITE)
			continue;
		t.write = write;
		t.known = bytes && !(ev->flags & EF_INEXACT);
		t.value =
			t.known ? part_value(bytes, ev->unit, low - ev->address, offset, size) : 0;
		*vec_push(&e->parts) = base_run_memory_add_access(memory, ev->owner, &t);
	}
}

void buffer_add_parts(struct buffer_entry *e, uint64_t after_sync, struct base_run_memory *memory,
		      const struct share_survey *survey)
{
	const struct base_run_event *ev = &e->event;
	uint64_t end;

	if (ev->kind < EV_READ || ev->kind > EV_ATOMIC_UPDATE || ev->size > 8 * PARTS_MAX ||
	    __builtin_add_overflow(ev->address, ev->size, &end))
		return;
	for (uint64_t low = ev->address, high; low < end; low = high) {
		high = low - low % 8 + 8 < end ? low - low % 8 + 8 : end;
		if (share_survey_shares(survey, low, high - low))
			add_part(e, memory, after_sync, low, high);
	}
}

void buffer_drop_first(struct buffer_stream *stream)
{
	stream->first = stream->first + 1 < stream->room ? stream->first + 1 : 0;
	stream->count--;
}

void buffer_free_stream(struct buffer_stream *stream)
{
	for (uint32_t k = 0; k < stream->room; k++) {
		vec_free(&stream->entries[k].bytes);
		vec_free(&stream->entries[k].parts);
	}
	free(stream->entries);
	vec_free(&stream->syncs.items);
}

uint64_t buffer_until(struct buffer_stream *stream)
{
	uint64_t time = buffer_entry(stream, 0)->time;

	if (buffer_entry(stream, stream->count - 1)->time == time)
		return BUFFER_NEVER;
	if (stream->until_of == time && stream->until != BUFFER_NEVER)
		return stream->until;
	stream->until_of = time;
	stream->until = BUFFER_NEVER;
	for (uint32_t i = 1; i < stream->count && stream->until == BUFFER_NEVER; i++) {
		if (buffer_entry(stream, i)->time != time)
			stream->until = buffer_entry(stream, i)->time;
	}
	return stream->until;
}
