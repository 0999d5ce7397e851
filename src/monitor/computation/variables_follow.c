/*
 * Finds variables that unrecorded code (a library, the kernel) writes: a recorded read sees another
 * value than the last recorded write left. Then it is unknown when the variable changed, and which
 * values it had in between. If there was no recorded write before, the variable's initial value is
 * unknown; otherwise the variable is not judged at all. The values at normal program exit count as
 * one more read (event/remains.h). A value that is overwritten before a recorded read stays
 * unnoticed.
 */
#include "monitor/computation/variables.h"

#include "base/file.h"
#include "base/mem.h"
#include "event/event.h"
#include "event/remains.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Returns the recorded value of the byte at `address`, or NULL if the access's value was not
 * recorded.
 */
static const uint8_t *recorded_byte(const struct trace_event *ev, const uint8_t *value,
				    uint64_t address)
{
	if (!value || !ev->unit || (ev->flags & EF_INEXACT))
		return NULL;
	return &value[(address - ev->address) % ev->unit];
}

static void read_byte(struct variables *v, uint32_t variable, unsigned at, uint8_t value)
{
	struct label_variable *of = &v->list.items[variable];
	struct variables_now *now = &v->now.items[variable];

	if (!(now->known >> at & 1) || now->bytes[at] == value)
		return;
	if (now->written >> at & 1)
		variables_doubt(v, of, "code that was not recorded writes %s");
	else
		of->initial_unknown = true;
	of->known = of->known && !(now->written >> at & 1);
	now->bytes[at] = value;
}

static void write_byte(struct variables *v, uint32_t variable, unsigned at, const uint8_t *value)
{
	struct variables_now *now = &v->now.items[variable];

	now->written |= (uint8_t)(1u << at);
	now->known = (uint8_t)(value ? now->known | 1u << at : now->known & ~(1u << at));
	if (value)
		now->bytes[at] = *value;
}

static void init_values(struct variables *v)
{
	while (v->now.count < v->list.count) {
		const struct label_variable *of = &v->list.items[v->now.count];
		struct variables_now now = { .known = of->initial_unknown ? 0 : 0xff };

		memcpy(now.bytes, of->initial, sizeof now.bytes);
		*vec_push(&v->now) = now;
	}
}

void variables_follow(struct variables *v, const struct trace_event *ev)
{
	bool reads = ev->kind == EV_READ || ev->kind == EV_ATOMIC_READ;
	const uint8_t *seen = reads ? ev->value : ev->kind == EV_ATOMIC_UPDATE ? ev->old : NULL;
	uint64_t end = ev->address + ev->size;

	init_values(v);
	for (size_t i = variables_first(v, ev->address);
	     i < v->ranges.count && v->ranges.items[i].low < end; i++) {
		const struct variables_range *range = &v->ranges.items[i];
		uint64_t a = range->low > ev->address ? range->low : ev->address;

		for (; a < range->high && a < end; a++) {
			const uint8_t *before = recorded_byte(ev, seen, a);

			if (before)
				read_byte(v, range->variable, (unsigned)(a - range->low), *before);
			if (!reads)
				write_byte(v, range->variable, (unsigned)(a - range->low),
					   recorded_byte(ev, ev->value, a));
		}
	}
}

static void read_segment(struct variables *v, const struct remains_segment *head,
			 const uint8_t *bytes)
{
	for (size_t i = 0; i < v->list.count; i++) {
		const struct label_variable *of = &v->list.items[i];

		if (!of->known || of->address < head->address ||
		    of->address - head->address > head->size - of->size)
			continue;
		for (unsigned at = 0; at < of->size; at++)
			read_byte(v, (uint32_t)i, at, bytes[of->address - head->address + at]);
	}
}

void variables_follow_end(struct variables *v, const struct trace *trace)
{
	struct remains_segment head;
	struct file_view view;
	struct err err;
	size_t at = 0;
	char *path;

	if (trace_is_text(trace))
		return;
	path = mem_format("%s/remains", trace_path(trace));
	init_values(v);
	if (!access(path, F_OK) && file_map(path, &view, &err)) {
		while (view.size - at >= sizeof head) {
			memcpy(&head, (const uint8_t *)view.data + at, sizeof head);
			at += sizeof head;
			if (head.size > view.size - at)
				break;
			read_segment(v, &head, (const uint8_t *)view.data + at);
			at += head.size;
		}
		file_unmap(&view);
	}
	free(path);
}
