/*
 * Chooses events for the leaves of a form, leaf by leaf: a join of the property's events over their
 * bindings, which respects threads and regions and omits choices whose order contradicts
 * must_precede.h.
 */
#ifndef PREDICT_PATTERN_PATTERN_JOIN_H
#define PREDICT_PATTERN_PATTERN_JOIN_H

#include "predict/pattern/pattern_view.h"

/* An event for every leaf: by leaf, its position in pattern_view.events. */
struct join_choice {
	const struct pattern_form *form;
	const uint32_t *events;
};

struct join {
	struct pattern_view *view; /* the join adds events before the window to it */
	const struct pattern_form *form;
	void (*take)(void *context, const struct join_choice *choice);
	bool (*is_over)(void *context); /* called now and then: is the time up? */
	void *context;
	/*
	 * The budget: how many events are examined, for all leaves together. `narrow`: of long
	 * lists, examine only the events nearest to those chosen before, and take only some of each
	 * thread and site.
	 */
	uint64_t steps;
	bool narrow;
	/*
	 * `past`: make only choices with events from before the window (pattern_past.h). For each
	 * leaf, take the latest event that is early enough of each thread, site and binding, since
	 * an earlier one gains nothing. With `every`, take all events.
	 */
	bool past, every;
	/* result: a lower bound of the number of events that were skipped */
	uint64_t left;
	/* private */
	uint32_t order[FORM_LEAVES]; /* leaves in the order in which they are chosen */
	uint32_t chosen[FORM_LEAVES];
	uint32_t *binding;
	/* by thread name of the formula: the thread chosen for it, or ORDER_NONE */
	uint32_t *thread_names;
	uint32_t names;
	uint64_t must_be_past; /* set of leaves */
	uint32_t past_chosen;
};

/* Calls `take` for each choice. Returns false if the budget or the time ran out. */
bool join_run(struct join *join, const struct spec_formula *formula);

/* ---- between the files of the join ----------------------------------------------------------- */

static inline const struct pattern_event *join_event(const struct join *join, uint32_t number)
{
	return &join->view->events.items[number];
}

/*
 * Does the event fit the leaf order[k], given the events chosen for the leaves before it in
 * `order`?
 */
bool join_fits(const struct join *join, uint32_t k, const struct pattern_event *event);

#endif
