/* The events that the repair (base_run_repair.h) holds back, in one queue for each owner. */
#ifndef ORDER_BASE_RUN_BASE_RUN_BUFFER_H
#define ORDER_BASE_RUN_BASE_RUN_BUFFER_H

#include "order/base_run/base_run.h"
#include "order/base_run/base_run_memory.h"

#define BUFFER_NEVER UINT64_MAX

/* An event and a copy of its values. Later entries of the ring reuse the copy's memory. */
struct buffer_entry {
	struct base_run_event event;
	uint64_t position, time;
	/* position + 1 of the owner's last synchronisation up to and including this event */
	uint64_t after_sync;
	bool ordered;  /* the event is synchronisation, which keeps its order */
	uint32_t plan; /* number of the plan that the event is part of, or 0 */
	VEC(uint8_t) bytes;
	VEC(uint32_t) parts; /* numbers of the event's accesses to spots */
};

/* A queue. The oldest item is at `first`; items before it have been removed. */
struct buffer_queue {
	VEC(uint64_t) items;
	size_t first;
};

struct buffer_stream {
	struct buffer_entry *entries; /* a ring */
	uint32_t room, first, count;
	/* position of the owner's next event that has not been emitted */
	uint64_t done;
	uint64_t after_sync;	   /* position + 1 of the last synchronisation that was added */
	struct buffer_queue syncs; /* positions of the owner's synchronisation events */
	uint64_t until, until_of;  /* cache of buffer_until(): its result for the time `until_of` */
};

void buffer_queue_put(struct buffer_queue *queue, uint64_t item);
static inline uint64_t buffer_queue_first(const struct buffer_queue *queue)
{
	return queue->first < queue->items.count ? queue->items.items[queue->first] : BUFFER_NEVER;
}

static inline struct buffer_entry *buffer_entry(const struct buffer_stream *stream, uint32_t i)
{
	uint32_t at = stream->first + i;

	return &stream->entries[at < stream->room ? at : at - stream->room];
}

/* Appends a copy of the event. buffer_add_parts() then adds its accesses to shared memory. */
struct buffer_entry *buffer_put(struct buffer_stream *stream, const struct base_run_event *event,
				uint64_t position, uint64_t time);
void buffer_add_parts(struct buffer_entry *entry, uint64_t after_sync,
		      struct base_run_memory *memory, const struct share_survey *survey);
void buffer_drop_first(struct buffer_stream *stream);
void buffer_free_stream(struct buffer_stream *stream);

/* Returns the next time that the stream recorded: its first event happened before that. */
uint64_t buffer_until(struct buffer_stream *stream);

#endif
