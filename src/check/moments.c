#include "check/moments.h"

#include "base/mem.h"

#include <stdlib.h>

uint64_t checker_moments_key(uint32_t stream, uint64_t index)
{
	return (uint64_t)stream << 44 ^ index;
}

uint64_t checker_moments_record_key(const struct checker_moments *m,
				    const struct checker_record *record)
{
	return checker_moments_key(trace_stream(m->play->world->trace, record->stream)->number,
				   record->index);
}

size_t checker_moments_place(const struct checker_moments *m, const struct event_id *event)
{
	const uint64_t *place =
		map_get(&m->played, checker_moments_key(event->stream, event->index));

	return place ? (size_t)*place : 0;
}

bool checker_moments_has(const struct checker_moments *m, uint64_t key, bool before)
{
	const uint64_t *bits = map_get(&m->given, key);

	return bits && *bits & (before ? 2 : 1);
}

bool checker_moments_refuse(const struct checker_moments *m, const struct event_id *event,
			    const char *why, struct err *err)
{
	const struct trace *trace = m->play->world->trace;
	uint32_t stream = checker_stream_of(trace, event->stream);

	return err_set(err, "%s %s",
		       stream == TRACE_NONE ? "an event of no stream"
					    : checker_event_words(trace, stream, event->index).text,
		       why);
}

static void index_events(struct checker_moments *m)
{
	bool fresh;

	for (size_t i = 0; i < m->play->order.count; i++) {
		const struct checker_record *record =
			checker_base_record(m->play->base, m->play->order.items[i]);

		*map_put(&m->played, checker_moments_record_key(m, record), &fresh) = i + 1;
	}
	for (size_t i = 0; i < m->count; i++) {
		const struct event_id *anchor = &m->list[i].anchor;
		uint64_t *bits = map_put(
			&m->given, checker_moments_key(anchor->stream, anchor->index), &fresh);

		*bits = (fresh ? 0 : *bits) | (m->list[i].before ? 2 : 1);
	}
}

/*
 * Gives the moment before an event its position: after the thread's previous event, as early as the
 * word allows.
 */
static bool place_before(const struct checker_moments *m, const struct event_id *anchor,
			 double *last, struct err *err)
{
	struct event_id previous = { anchor->stream, anchor->index - 1 };
	size_t place = checker_moments_place(m, anchor);
	size_t behind = anchor->index ? checker_moments_place(m, &previous) : 0;

	if (anchor->index && !behind)
		return checker_moments_refuse(m, anchor, "is not its thread's next event", err);
	if (*last < (double)behind)
		*last = (double)behind;
	*last += 1.0 / 1024;
	if (place && *last >= (double)place)
		return checker_moments_refuse(m, anchor, "comes too early in the schedule", err);
	return true;
}

static bool place_all(struct checker_moments *m, struct err *err)
{
	double last = 0;

	for (size_t i = 0; i < m->count; i++) {
		const struct event_id *anchor = &m->list[i].anchor;
		size_t place = checker_moments_place(m, anchor);

		if (m->list[i].before) {
			if (!place_before(m, anchor, &last, err))
				return false;
		} else if ((double)place <= last) {
			return checker_moments_refuse(m, anchor, "does not come in its turn", err);
		} else {
			last = (double)place;
		}
		m->places[i] = last;
	}
	return true;
}

bool checker_moments_open(struct checker_moments *m, const struct checker_play *play,
			  const struct checker_moment *list, size_t count, struct err *err)
{
	*m = (struct checker_moments){ .play = play,
				       .list = list,
				       .count = count,
				       .places = mem_zalloc(count + 1, sizeof *m->places) };
	index_events(m);
	return place_all(m, err);
}

void checker_moments_close(struct checker_moments *m)
{
	free(m->places);
	map_free(&m->played);
	map_free(&m->given);
}
