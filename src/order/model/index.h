/*
 * The solver's data about a model that do not depend on a query: for each node its events, in the
 * order in which they take effect, and its edges; for each event the node that explains it in the
 * recorded order. Private to the solver.
 *
 * (An *event* here is one effect of a node on one object. A node that updates a cell has two.)
 */
#ifndef ORDER_MODEL_INDEX_H
#define ORDER_MODEL_INDEX_H

#include "order/model/clock.h"
#include "order/model/sources.h"

enum index_kind {
	INDEX_READ, /* before INDEX_WRITE: an update does not read from itself */
	INDEX_WRITE,
	INDEX_RELEASE,
	INDEX_ACQUIRE,
	INDEX_FAIL,
	INDEX_WAIT,
	INDEX_SIGNAL,
	INDEX_WOKEN,
	INDEX_POST,
	INDEX_DOWN,
	INDEX_TAKE, /* a down of a semaphore that the solver treats as a lock: only counted */
	INDEX_ZERO,
};

struct index_event {
	uint32_t node;
	uint8_t kind;
	uint32_t object; /* cell, lock, condition or semaphore */
	uint32_t item;	 /* index in the model's reads, writes, sections, … */
};

struct order_index {
	const struct order_model *model; /* the view that semaphore_mutex.h made of the model */
	const bool *is_mutex;		 /* for each semaphore: is it a lock in the view? */
	const struct order_clock *clock;
	uint32_t *event_start; /* node_count + 1 offsets into events */
	struct index_event *events;
	struct order_sources in;
	uint32_t *out_start, *out; /* edges out of each node: their targets */
	/*
	 * The node that explains an event in the recorded order: for a read, the last write of the
	 * cell; for a failed try, the acquire of a section around it; for a down, the post whose
	 * token it takes. ORDER_NONE: no node of the window.
	 */
	uint32_t *read_needs, *fail_needs, *down_needs;
	uint32_t *open_start, *open; /* for each lock: sections entered before the window */
	uint32_t *idle_start, *idle; /* for each condition: waits that began before the window */
	uint32_t *wait_condition;    /* for each wait: its condition */
};

/* The open sections of a lock during a replay; valid if `epoch` is the number of the replay. */
struct open_sections {
	uint32_t epoch;
	VEC(uint32_t) list;
};

/* Returns the lock's open sections. In a new epoch: those entered before the window. */
struct open_sections *order_index_open_sections(const struct order_index *index,
						struct open_sections *locks, uint32_t lock,
						uint32_t epoch);

void order_index_make(struct order_index *index, const struct order_model *model,
		      const struct order_clock *clock, const bool *is_mutex);
void order_index_free(struct order_index *index);

#endif
