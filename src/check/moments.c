/* Finds the position of each moment of a word in the schedule that was played. */
#include "check/moments.h"

#include "base/mem.h"
#include "check/claim.h"

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

/* Returns the event's position in the schedule, from 1; 0 if it does not happen. */
static size_t position_in_schedule(const struct checker_moments *m, const struct event_id *event)
{
	const uint64_t *position =
		map_get(&m->played, checker_moments_key(event->stream, event->index));

	return position ? (size_t)*position : 0;
}

bool checker_moments_has(const struct checker_moments *m, uint64_t key, bool before)
{
	const uint64_t *bits = map_get(&m->given, key);

	return bits && *bits & (before ? 2 : 1);
}

bool checker_moments_left_out(const struct checker_moments *m, const struct checker_occurrence *o)
{
	return position_in_schedule(m, &o->anchor) &&
	       !checker_moments_has(m, checker_moments_key(o->anchor.stream, o->anchor.index),
				    o->before);
}

bool checker_moments_refuse(const struct checker_moments *m, const struct event_id *event,
			    const char *why, struct err *err)
{
	return err_set(err, "%s %s", checker_claim_words(m->play, event).text, why);
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
 * The moment before an event comes after the thread's previous event, and as early as the order of
 * the word allows.
 */
static bool position_before(const struct checker_moments *m, const struct event_id *anchor,
			    double *last, struct err *err)
{
	struct event_id previous = { anchor->stream, anchor->index - 1 };
	size_t position = position_in_schedule(m, anchor);
	size_t after = anchor->index ? position_in_schedule(m, &previous) : 0;

	if (anchor->index && !after)
		return checker_moments_refuse(m, anchor, "is not its thread's next event", err);
	if (*last < (double)after)
		*last = (double)after;
	*last += 1.0 / 1024;
	if (position && *last >= (double)position)
		return checker_moments_refuse(m, anchor, "comes too early in the schedule", err);
	return true;
}

static bool position_all(struct checker_moments *m, struct err *err)
{
	double last = 0;

	for (size_t i = 0; i < m->count; i++) {
		const struct event_id *anchor = &m->list[i].anchor;
		size_t position = position_in_schedule(m, anchor);

		if (m->list[i].before) {
			if (!position_before(m, anchor, &last, err))
				return false;
		} else if ((double)position <= last) {
			return checker_moments_refuse(m, anchor,
						      "is not in this order in the schedule", err);
		} else {
			last = (double)position;
		}
		m->positions[i] = last;
	}
	return true;
}

bool checker_moments_open(struct checker_moments *m, const struct checker_play *play,
			  const struct checker_moment *list, size_t count, struct err *err)
{
	*m = (struct checker_moments){ .play = play,
				       .list = list,
				       .count = count,
				       .positions = mem_zalloc(count + 1, sizeof *m->positions) };
	index_events(m);
	return position_all(m, err);
}

void checker_moments_close(struct checker_moments *m)
{
	free(m->positions);
	map_free(&m->played);
	map_free(&m->given);
}
