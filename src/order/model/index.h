/*
 * What the solver needs to know of a model and does not depend on a query: for each node what it
 * does, in the order in which it does it, and its edges; for each event what explains it in the
 * recorded order. Private to the solver.
 */
#ifndef ORDER_MODEL_INDEX_H
#define ORDER_MODEL_INDEX_H

#include "order/model/clock.h"

enum index_kind {
	INDEX_READ, /* comes before INDEX_WRITE: an update does not read from itself */
	INDEX_WRITE,
	INDEX_RELEASE,
	INDEX_ACQUIRE,
	INDEX_FAIL,
	INDEX_WAIT,
	INDEX_SIGNAL,
	INDEX_WOKEN,
	INDEX_POST,
	INDEX_DOWN,
	INDEX_TAKE, /* a down of a semaphore that is a lock: it counts, no more */
	INDEX_ZERO,
};

struct index_event {
	uint32_t node;
	uint8_t kind;
	uint32_t object; /* cell, lock, condition or semaphore */
	uint32_t item;	 /* in the model's reads, writes, sections, … */
};

struct order_index {
	const struct order_model *model; /* semaphore_mutex.h's view of the one that was given */
	const bool *is_mutex;		 /* of each semaphore */
	const struct order_clock *clock;
	uint32_t *event_start; /* node_count + 1 offsets into events */
	struct index_event *events;
	uint32_t *in_start, *in;   /* edges into a node: where from */
	uint32_t *out_start, *out; /* edges out of a node: where to */
	/*
	 * What explains an event in the recorded order: of a read the node that wrote, of a fail
	 * the acquire of a section around it, of a down the post that it uses up. ORDER_NONE: it
	 * needs nothing of the window.
	 */
	uint32_t *read_needs, *fail_needs, *down_needs;
	uint32_t *open_start, *open; /* for each lock: its sections that began before the window */
	uint32_t *idle_start, *idle; /* for each condition: its waits that did */
	uint32_t *wait_condition;    /* of each wait */
};

void order_index_make(struct order_index *index, const struct order_model *model,
		      const struct order_clock *clock, const bool *is_mutex);
void order_index_free(struct order_index *index);

#endif
