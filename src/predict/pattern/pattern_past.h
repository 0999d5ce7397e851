/*
 * What happened before a window, for matches that began there.
 *
 * A window starts where the base run has arrived, and nothing before it is reordered. So whatever a
 * property saw there has happened, in the recorded order, whatever order the window's own events
 * get. A match may take its first events from before the window and needs the window only for those
 * after them. This finds, however short windows are, an object that was opened an hour ago and is
 * closed while it is used.
 *
 * It cannot find a match that needs an event before the window to come later than one in the
 * window. Such pairs are counted (predict_stats.apart), and wider windows contain them.
 */
#ifndef PREDICT_PATTERN_PATTERN_PAST_H
#define PREDICT_PATTERN_PATTERN_PAST_H

#include "predict/driver/base_position.h"
#include "predict/pattern/pattern_index.h"
#include "predict/pattern/pattern_set.h"

/* What is known of a kept event, once a window has had it as a node. */
struct past_node {
	uint32_t rank; /* position in the base run among kept events, from 1; 0: not read yet */
	uint32_t size;
	uint64_t address;
};

struct past_index {
	uint32_t *keep_of; /* by event: position in the set's keeps, or ORDER_NONE */
	struct pattern_index events;
};

/* Grows while windows are read. What windows that were read earlier see of it does not change. */
struct pattern_past {
	const struct pattern_set *set;
	struct base_position base_run;
	struct past_node *nodes; /* by keep */
	uint32_t ranks;
	struct past_index *indices; /* by property */
};

/* Where a window starts: an index for each stream, by its position in the trace. */
struct past_view {
	const struct pattern_past *past;
	uint64_t *start;
	uint32_t ranks; /* events up to this rank are before it */
};

struct pattern_past *pattern_past_open(const struct pattern_set *set, const struct trace *trace);
void pattern_past_close(struct pattern_past *past);

/* Takes each window as it is read, in order. The caller frees the view with past_view_free(). */
struct past_view pattern_past_read(struct pattern_past *past, const struct window *window,
				   const struct window_slice *runs);
void past_view_free(struct past_view *view);

/* Its rank before the window, from 1; 0: it did not happen there. */
uint32_t past_view_rank(const struct past_view *view, uint32_t property, uint32_t event);
/* What is known of an event that did happen there. */
const struct past_node *past_view_node(const struct past_view *view, uint32_t property,
				       uint32_t event);

/* The thread that owns the event's stream, as the position of the thread's own stream. */
uint32_t past_view_thread(const struct past_view *view, struct event_id id);

/*
 * The occurrences of an event that a pattern names in which the parameter has the value, or is
 * unbound (PROPERTY_NONE); with parameter PROPERTY_NONE all occurrences. Only those before the
 * window. Lists contain numbers in the property's events, in the trace's order.
 */
struct pattern_list past_view_list(const struct past_view *view, uint32_t property, uint32_t type,
				   uint32_t parameter, uint32_t value);

#endif
