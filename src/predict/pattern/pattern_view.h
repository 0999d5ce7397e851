/*
 * The events of one property in one window, indexed by type, and by type and value of a parameter.
 */
#ifndef PREDICT_PATTERN_PATTERN_VIEW_H
#define PREDICT_PATTERN_PATTERN_VIEW_H

#include "base/map.h"
#include "order/model/sources.h"
#include "predict/driver/analysis.h"
#include "predict/driver/must_precede.h"
#include "predict/pattern/pattern_past.h"

struct pattern_event {
	/* 0: in the window; otherwise its rank before the window, and it has no nodes */
	uint32_t past;
	uint32_t node;	 /* for a request: the moment before its anchor */
	uint32_t anchor; /* node of its anchor */
	/* number in the model; threads that are not in the window have higher numbers */
	uint32_t thread;
	uint32_t number; /* position in the property's events */
	uint32_t next;	 /* position of its thread's next event, or ORDER_NONE */
	const struct property_event *event;
	const uint32_t *binding;
	uint64_t site;
};

struct pattern_view {
	const struct analysis *analysis;
	const struct window *window;
	const struct order_model *model;
	const struct pattern_set *set;
	const struct property_events *property;
	uint32_t property_number, parameters;
	const struct must_precede *must_precede;
	/* those in the window, by node; then those before the window that the join has added */
	VEC(struct pattern_event) events;
	const struct past_view *past; /* NULL: none */
	struct map past_events;	      /* number in the property's events to position in events */
	const uint32_t *thread_of;
	/* an index of the events in the window; its items are positions in `events` */
	struct pattern_index index;
	const struct map *node_of_keep;
	const struct order_sources *sources;
};

/* What all properties share in a window. */
struct pattern_view_shared {
	struct must_precede must_precede;
	struct map node_of_keep; /* position in the set's keeps to node + 1, without moments */
	struct order_sources sources;
	/* by position of a thread's stream: its number in the model, or a higher one */
	uint32_t *thread_of;
};

void pattern_view_shared_make(struct pattern_view_shared *shared, const struct analysis *analysis);
void pattern_view_shared_free(struct pattern_view_shared *shared);

void pattern_view_open(struct pattern_view *view, const struct analysis *analysis,
		       uint32_t property, const struct pattern_view_shared *shared);
void pattern_view_close(struct pattern_view *view);

/*
 * pattern_view_past_event() returns an event before the window, with its rank there.
 * pattern_view_add_past() adds it to `events`, so that it can be chosen, and returns its position
 * there.
 */
struct pattern_event pattern_view_past_event(const struct pattern_view *view, uint32_t number);
uint32_t pattern_view_add_past(struct pattern_view *view, uint32_t number);

/*
 * Iterates over the nodes that must be inside for a node to be next: the node before it in its
 * thread, and the sources of edges into it. For a join, the end of the joined thread is left out: a
 * join is next before that end, and waits. `*state` starts with 0. Returns ORDER_NONE at the end.
 */
uint32_t pattern_view_before_next(const struct pattern_view *view, uint32_t node, uint32_t *state);

/* The node of an event, if the window has one; otherwise ORDER_NONE. */
uint32_t pattern_view_find_node(const struct pattern_view *view, struct event_id id);

#endif
