/*
 * Follows the value of each wanted granule through the streams, one stream after the other, and
 * marks granules with a read that contradicts it.
 */
#include "order/base_run/unexplained_reads.h"

#include "order/base_run/share_survey.h"

/* What is known about a granule. `stream` is the position + 1 of the last stream to access it. */
struct granule_state {
	uint8_t value[SURVEY_GRANULE];
	uint8_t bits; /* mask of the bytes whose value is known */
	bool written;
	uint32_t stream;
};

struct unexplained_reads_pass {
	bool (*wants)(const void *context, uint64_t granule);
	const void *context;
	uint32_t mark;
	struct pages known; /* number of a granule to its granule_state */
	uint32_t stream;
	uint32_t *users;		 /* users of the current granule */
	const struct trace_event *event; /* the current event; its values, or NULL if unknown: */
	const uint8_t *reads, *writes;
};

static void touch_byte(struct unexplained_reads_pass *l, struct granule_state *k, uint64_t address,
		       bool writes)
{
	uint64_t i = (address - l->event->address) % (l->event->unit ? l->event->unit : 1);
	unsigned at = address % SURVEY_GRANULE;
	uint8_t bit = (uint8_t)(1u << at);

	if (l->reads) {
		if ((k->bits & bit) && k->value[at] != l->reads[i])
			*l->users |= l->mark;
		k->value[at] = l->reads[i];
		k->bits |= bit;
	}
	if (!writes)
		return;
	k->bits = l->writes ? k->bits | bit : (uint8_t)(k->bits & ~bit);
	if (l->writes)
		k->value[at] = l->writes[i];
}

static void touch_granule(void *context, uint64_t granule, void *item)
{
	struct unexplained_reads_pass *l = context;
	const struct trace_event *ev = l->event;
	uint64_t low = granule * SURVEY_GRANULE, high = low + SURVEY_GRANULE;
	bool writes = ev->kind != EV_READ && ev->kind != EV_ATOMIC_READ;
	struct granule_state *k;

	if (!l->wants(l->context, granule))
		return;
	l->users = item;
	k = pages_put(&l->known, granule, NULL);
	/* Two streams: a thread and its handler. It is unknown here which access was first. */
	if (k->stream && k->stream != l->stream + 1 && (writes || k->written))
		*l->users |= l->mark;
	k->stream = l->stream + 1;
	k->written |= writes;
	if (low < ev->address)
		low = ev->address;
	if (high > ev->address + ev->size)
		high = ev->address + ev->size;
	for (uint64_t at = low; at < high; at++)
		touch_byte(l, k, at, writes);
}

static void follow_access(struct unexplained_reads_pass *l, const struct pages *granules,
			  const struct trace_event *ev)
{
	bool exact = ev->value && ev->unit && !(ev->flags & EF_INEXACT), update;
	uint64_t end = ev->address + ev->size;

	if (!ev->size || end < ev->address)
		return;
	update = ev->kind == EV_ATOMIC_UPDATE;
	l->event = ev;
	l->writes = exact ? ev->value : NULL;
	l->reads = update ? (exact ? ev->old : NULL) : l->writes;
	if (ev->kind == EV_WRITE || ev->kind == EV_ATOMIC_WRITE)
		l->reads = NULL;
	pages_each(granules, ev->address / SURVEY_GRANULE, (end - 1) / SURVEY_GRANULE + 1,
		   touch_granule, l);
}

void unexplained_reads_mark(const struct trace *trace, const struct pages *granules, uint32_t mark,
			    bool (*wants)(const void *context, uint64_t granule),
			    const void *context)
{
	struct unexplained_reads_pass l = { .wants = wants,
					    .context = context,
					    .mark = mark,
					    .known.size = sizeof(struct granule_state) };

	for (uint32_t i = 0; i < trace_stream_count(trace); i++) {
		struct trace_cursor *cursor = trace_cursor_open(trace, i);
		struct trace_event ev;
		struct err err;

		l.stream = i;
		while (trace_next(cursor, &ev, &err)) {
			enum event_group group = event_group(ev.kind);

			if (group == EG_ACCESS || (group == EG_ATOMIC && ev.kind != EV_FENCE))
				follow_access(&l, granules, &ev);
		}
		trace_cursor_close(cursor);
	}
	pages_free(&l.known);
}
