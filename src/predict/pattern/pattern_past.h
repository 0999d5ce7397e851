/*
 * Property events before a window, for matches that begin there.
 *
 * A window starts at a point of the base run, and nothing before that point is reordered. So a
 * property's events before the window have happened, in the recorded order, whatever order the
 * window's own events get. A match may take its first events from before the window; only the
 * events after those must be in the window. Even with short windows this finds an object that was
 * opened an hour ago and is closed while it is used.
 *
 * It cannot find a match that needs an event before the window to come later than one in the
 * window. Such pairs are counted (predict_stats.apart). A wider window can contain them.
 */
#ifndef PREDICT_PATTERN_PATTERN_PAST_H
#define PREDICT_PATTERN_PATTERN_PAST_H

#include "predict/driver/base_position.h"
#include "predict/pattern/pattern_index.h"
#include "predict/pattern/pattern_set.h"

/* What is known of a kept event once a window has contained it as a node. */
struct past_node {
	uint32_t rank; /* position in the base run among kept events, from 1; 0: not read yet */
	uint32_t size;
	uint64_t address;
};

struct past_index {
	uint32_t *keep_of; /* by event: position in the set's keeps, or ORDER_NONE */
	struct pattern_index events;
};

/* Grows while windows are read. The part that earlier windows use does not change. */
struct pattern_past {
	const struct pattern_set *set;
	struct base_position base_run;
	struct past_node *nodes; /* by keep */
	uint32_t ranks;
	struct past_index *indices; /* by property */
};

/* The start of a window: by position of a stream in the trace, the index of its next event. */
struct past_view {
	const struct pattern_past *past;
	uint64_t *start;
	uint32_t ranks; /* events with ranks up to this one are before the window */
};

struct pattern_past *pattern_past_open(const struct pattern_set *set, const struct trace *trace);
void pattern_past_close(struct pattern_past *past);

/*
 * To be called for each window as it is read, in order. The caller frees the view with
 * past_view_free().
 */
struct past_view pattern_past_read(struct pattern_past *past, const struct window *window,
				   const struct window_slice *runs);
void past_view_free(struct past_view *view);

/* Returns the event's rank before the window, from 1; 0 if it did not happen before the window. */
uint32_t past_view_rank(const struct past_view *view, uint32_t property, uint32_t event);
/* Returns what is known of an event that happened before the window. */
const struct past_node *past_view_node(const struct past_view *view, uint32_t property,
				       uint32_t event);

/* The thread that owns the event's stream, as the position of the thread's own stream. */
uint32_t past_view_thread(const struct past_view *view, struct event_id id);

/*
 * Returns the occurrences before the window of an event that a pattern names, with the value of the
 * parameter; with value PROPERTY_NONE, those in which the parameter is unbound; with parameter
 * PROPERTY_NONE, all. The list contains numbers in the property's events, in the trace's order.
 */
struct pattern_list past_view_list(const struct past_view *view, uint32_t property, uint32_t type,
				   uint32_t parameter, uint32_t value);

#endif
