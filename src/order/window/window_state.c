/* Opens, closes and copies the state between windows. */
#include "order/window/window_state.h"

#include "base/mem.h"

#include <string.h>

void window_state_open(struct window_state *s, const struct trace *trace,
		       const struct share_survey *survey)
{
	*s = (struct window_state){ .survey = survey, .trace = trace };
	s->bytes.zero = survey->text;
	s->streams = mem_zalloc(survey->stream_count + 1, sizeof *s->streams);
	for (uint32_t i = 0; i < survey->stream_count; i++)
		s->streams[i] = (struct window_stream){ .stream = trace_stream(trace, i)->number,
							.left = survey->streams[i].events,
							.begun = WINDOW_NEVER,
							.finished = WINDOW_NEVER,
							.created = WINDOW_NEVER };
	for (size_t i = 0; i < trace_initial_count(trace); i++) {
		struct trace_initial initial = trace_initial(trace, i);

		window_bytes_store(&s->bytes, initial.address, initial.size, initial.value,
				   initial.size, BYTE_KNOWN);
	}
}

void window_state_close(struct window_state *s)
{
	for (uint32_t i = 0; i < s->survey->stream_count; i++)
		vec_free(&s->streams[i].held);
	free(s->streams);
	for (size_t i = 0; i < s->objects.count; i++)
		window_object_free(&s->objects.items[i]);
	vec_free(&s->objects);
	map_free(&s->index);
	window_bytes_free(&s->bytes);
}

uint32_t window_state_object(struct window_state *s, enum event_group group, uint64_t address)
{
	bool fresh;
	uint64_t *number = map_put(&s->index, address << 4 | (uint64_t)group, &fresh);
	struct window_object *o;
	const uint64_t *least;

	if (!fresh)
		return (uint32_t)*number - 1;
	o = vec_push(&s->objects);
	*o = (struct window_object){ .address = address,
				     .group = (uint8_t)group,
				     .window = UINT32_MAX };
	*number = s->objects.count;
	if (group == EG_SEMAPHORE) {
		least = map_get(&s->survey->semaphores, address);
		o->count = least ? *least : 0;
		o->exact = s->survey->text && !map_get(&s->survey->reinitialised, address);
	}
	return (uint32_t)*number - 1;
}

void window_object_copy(struct window_object *to, const struct window_object *from)
{
	struct window_object kept = *to;

	*to = *from;
	memcpy(&to->readers, &kept.readers, sizeof kept.readers);
	memcpy(&to->waiting, &kept.waiting, sizeof kept.waiting);
	memcpy(&to->sent, &kept.sent, sizeof kept.sent);
	memcpy(&to->arrivals, &kept.arrivals, sizeof kept.arrivals);
	vec_copy(&to->readers, &from->readers);
	vec_copy(&to->waiting, &from->waiting);
	vec_copy(&to->sent, &from->sent);
	vec_copy(&to->arrivals, &from->arrivals);
}

void window_object_free(struct window_object *o)
{
	vec_free(&o->readers);
	vec_free(&o->waiting);
	vec_free(&o->sent);
	vec_free(&o->arrivals);
}
