/* Numbers the meanings of steps (label.h) with a hash table. */
#include "monitor/computation/label.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void labels_init(struct labels *labels, bool rich)
{
	*labels = (struct labels){ .rich = rich };
	*vec_push(&labels->list) = (struct label){ 0 }; /* LABEL_SILENT */
	*vec_push(&labels->list) = (struct label){ 0 }; /* LABEL_NOTHING */
}

void labels_free(struct labels *labels)
{
	vec_free_all(&labels->owned);
	vec_free(&labels->list);
	vec_free(&labels->variables);
	map_free(&labels->index);
}

static uint64_t hash_label(const struct label *label)
{
	uint64_t hash = hash_mix(label->write_count, label->event_count);

	for (uint32_t i = 0; i < label->write_count; i++) {
		const struct label_write *w = &label->writes[i];
		uint64_t bytes = 0;

		memcpy(&bytes, w->bytes, w->unknown ? 0 : w->size);
		hash = hash_mix(hash, w->variable);
		hash = hash_mix(hash, (uint64_t)w->offset << 16 | w->size << 8 | w->unknown);
		hash = hash_mix(hash, bytes);
	}
	for (uint32_t i = 0; i < label->event_count; i++) {
		const struct label_event *e = &label->events[i];

		hash = hash_mix(hash, (uint64_t)e->property << 32 | e->event);
		hash = hash_mix(hash, (uint64_t)e->thread << 32 | e->bindings);
		hash = hash_mix(hash, e->number);
	}
	return hash;
}

static bool same_label(const struct label *a, const struct label *b)
{
	if (a->write_count != b->write_count || a->event_count != b->event_count)
		return false;
	for (uint32_t i = 0; i < a->write_count; i++) {
		const struct label_write *v = &a->writes[i], *w = &b->writes[i];

		if (v->variable != w->variable || v->offset != w->offset || v->size != w->size ||
		    v->unknown != w->unknown ||
		    (!v->unknown && memcmp(v->bytes, w->bytes, v->size)))
			return false;
	}
	for (uint32_t i = 0; i < a->event_count; i++) {
		const struct label_event *e = &a->events[i], *f = &b->events[i];

		if (e->property != f->property || e->event != f->event || e->thread != f->thread ||
		    e->bindings != f->bindings || e->number != f->number)
			return false;
	}
	return true;
}

static void *copy_owned(struct labels *labels, const void *items, size_t size)
{
	void *copy;

	if (!size)
		return NULL;
	copy = mem_alloc(size);
	memcpy(copy, items, size);
	*vec_push(&labels->owned) = copy;
	return copy;
}

/* Copies the events without bindings and threads, each once. Returns their number. */
static uint32_t plain_events(const struct label *label, struct label_event *events)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < label->event_count; i++) {
		struct label_event event = { .property = label->events[i].property,
					     .event = label->events[i].event };
		uint32_t k = 0;

		while (k < count &&
		       (events[k].property != event.property || events[k].event != event.event))
			k++;
		if (k == count)
			events[count++] = event;
	}
	return count;
}

/* Returns the label's number. On a hash collision, it tries the next hash value. */
uint32_t labels_put(struct labels *labels, const struct label *label)
{
	struct label_event few[8], *events = few;
	struct label plain = *label;
	uint32_t number;

	if (!label->write_count && !label->event_count)
		return LABEL_NOTHING;
	if (!labels->rich && label->event_count) {
		if (label->event_count > sizeof few / sizeof *few)
			events = mem_zalloc(label->event_count, sizeof *events);
		plain.event_count = plain_events(label, events);
		plain.events = events;
	}
	for (uint64_t hash = hash_label(&plain);; hash++) {
		bool fresh;
		uint64_t *entry = map_put(&labels->index, hash, &fresh);

		if (fresh) {
			number = (uint32_t)labels->list.count;
			*entry = number;
			plain.writes = copy_owned(labels, plain.writes,
						  plain.write_count * sizeof *plain.writes);
			plain.events = copy_owned(labels, plain.events,
						  plain.event_count * sizeof *plain.events);
			*vec_push(&labels->list) = plain;
			break;
		}
		number = (uint32_t)*entry;
		if (same_label(&labels->list.items[number], &plain))
			break;
	}
	if (events != few)
		free(events);
	return number;
}
