/* The events that the repair of the order holds back, lane by lane. */
#ifndef ORDER_BASE_RUN_BASE_RUN_BUFFER_H
#define ORDER_BASE_RUN_BASE_RUN_BUFFER_H

#include "order/base_run/base_run.h"
#include "order/base_run/base_run_cells.h"

#define BUFFER_NEVER UINT64_MAX

/* An event with its own copy of its values. What it has room for stays with its slot. */
struct buffer_entry {
	struct base_run_event event;
	uint64_t position, time;
	uint64_t behind; /* position + 1 of the last synchronisation up to and with it */
	bool ordered;	 /* it is synchronisation: keeps its place among all that is */
	uint32_t plan;	 /* the plan that it is part of, or 0 */
	VEC(uint8_t) bytes;
	VEC(uint32_t) parts; /* touches of spots */
};

/* Oldest at `first`; what is before it is gone. */
struct buffer_queue {
	VEC(uint64_t) items;
	size_t first;
};

struct buffer_lane {
	struct buffer_entry *entries; /* a ring */
	uint32_t room, first, count;
	uint64_t done;		   /* position of its next event that has not come */
	uint64_t behind;	   /* position + 1 of the last synchronisation put in */
	struct buffer_queue turns; /* positions of its synchronisation */
	uint64_t until, until_of;  /* when the stretch ends that has time `until_of` */
};

void buffer_queue_put(struct buffer_queue *queue, uint64_t item);
static inline uint64_t buffer_queue_first(const struct buffer_queue *queue)
{
	return queue->first < queue->items.count ? queue->items.items[queue->first] : BUFFER_NEVER;
}

static inline struct buffer_entry *buffer_entry(const struct buffer_lane *lane, uint32_t i)
{
	uint32_t at = lane->first + i;

	return &lane->entries[at < lane->room ? at : at - lane->room];
}

/* A copy behind the lane's last entry; its touches are put into `spots` if others see them. */
struct buffer_entry *buffer_put(struct buffer_lane *lane, const struct base_run_event *event,
				uint64_t position, uint64_t time);
void buffer_add_parts(struct buffer_entry *entry, uint64_t behind, struct base_run_cells *spots,
		      const struct share_survey *survey);
void buffer_drop_first(struct buffer_lane *lane);
void buffer_free_lane(struct buffer_lane *lane);

/* The latest moment of the lane's first event: the next time that its stream knows. */
uint64_t buffer_until(struct buffer_lane *lane);

#endif
