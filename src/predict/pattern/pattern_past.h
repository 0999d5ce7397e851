/*
 * What happened before a window, for matches that began there.
 *
 * A window starts where the base run has come to, and nothing before it is put in another order. So
 * whatever a property saw there has happened, in the recorded order, whatever order the window's
 * own events get: a match may take its first events from the past and need the window only for
 * those behind them. An object that was opened an hour ago and is closed while it is used is found
 * that way, however short windows are.
 *
 * What stays out of reach is a match that needs an event of the past to come later than one of the
 * window. Such pairs are counted (predict_stats.apart), and wider windows have them.
 */
#ifndef PREDICT_PATTERN_PATTERN_PAST_H
#define PREDICT_PATTERN_PATTERN_PAST_H

#include "predict/driver/base_position.h"
#include "predict/pattern/pattern_set.h"

/* Of a kept event, once a window has had it as a node. */
struct past_node {
	uint32_t rank; /* place in the base run among kept ones, from 1 on; 0: not read yet */
	uint32_t size;
	uint64_t address;
};

struct past_index; /* a property's events by event and value */

/* Grows while windows are read; what windows that are read already see of it does not change. */
struct pattern_past {
	const struct pattern_set *set;
	struct base_position run;
	struct past_node *nodes; /* by keep */
	uint32_t ranks;
	struct past_index *indices; /* by property */
};

/* Where a window starts: an index for each stream, by its position in the trace. */
struct past_view {
	const struct pattern_past *past;
	uint64_t *start;
	uint32_t ranks; /* up to this one they are before it */
};

struct pattern_past *pattern_past_open(const struct pattern_set *set, const struct trace *trace);
void pattern_past_close(struct pattern_past *past);

/* Each window as it was read, in turn. The view is for past_view_free. */
struct past_view pattern_past_read(struct pattern_past *past, const struct window *window,
				   const struct window_run *runs);
void past_view_free(struct past_view *view);

/* Its place before the window, from 1 on; 0: it did not happen there. */
uint32_t past_view_rank(const struct past_view *view, uint32_t property, uint32_t event);
/* What is known of one that did. */
const struct past_node *past_view_node(const struct past_view *view, uint32_t property,
				       uint32_t event);

/* The thread that the event's stream belongs to, by the position of the thread's own stream. */
uint32_t past_view_thread(const struct past_view *view, struct event_id id);

/* Numbers in the property's events, in the trace's order. */
struct past_list {
	const uint32_t *items;
	uint32_t count;
};

/*
 * Those of an event that a pattern names, whose parameter has the value, or PROPERTY_NONE; with
 * parameter PROPERTY_NONE all of them. Only those before the window.
 */
struct past_list past_view_list(const struct past_view *view, uint32_t property, uint32_t type,
				uint32_t parameter, uint32_t value);

#endif
