/*
 * Choosing events for the leaves of a form, leaf by leaf: a join of the property's events over
 * their bindings, with threads and regions, and without choices whose order contradicts what has
 * to be (must_precede.h).
 */
#ifndef PREDICT_PATTERN_PATTERN_JOIN_H
#define PREDICT_PATTERN_PATTERN_JOIN_H

#include "predict/pattern/pattern_events.h"

/* A choice for every leaf: numbers in the scene's events, by leaf. */
struct join_choice {
	const struct pattern_form *form;
	const uint32_t *events;
};

struct join {
	struct scene *scene; /* events of the past are added to it */
	const struct pattern_form *form;
	void (*take)(void *context, const struct join_choice *choice);
	bool (*is_over)(void *context); /* asked now and then: is the time over? */
	void *context;
	/*
	 * So many events are looked at, for all leaves together. `narrow`: of long lists only those
	 * nearest to what was chosen before, and of one thread and site only some of them.
	 */
	uint64_t steps;
	bool narrow;
	/*
	 * Only choices with events from before the window (pattern_past.h): for each leaf the last
	 * of a thread, site and binding that is early enough, since nothing is gained by an earlier
	 * one; with `every` all.
	 */
	bool past, every;
	/* out: events that were passed over, at least */
	uint64_t left;
	/* private */
	uint32_t order[FORM_LEAVES]; /* leaves as they are chosen for */
	uint32_t chosen[FORM_LEAVES];
	uint32_t *binding;
	uint32_t *thread_names; /* of the formula: thread of the model, or ORDER_NONE */
	uint32_t names;
	uint64_t must_be_past; /* leaves */
	uint32_t past_chosen;
};

/* Calls `take` for each choice; false: it ended early. */
bool join_run(struct join *join, const struct spec_formula *formula);

/* ---- for the parts of the join ---------------------------------------------------------------- */

static inline const struct scene_event *join_event(const struct join *join, uint32_t number)
{
	return &join->scene->events.items[number];
}

/* Has it the values that parameters have by now? */
bool join_agrees(const struct join *join, const uint32_t *binding);
/* Does it fit, as the choice for leaf order[k], to those for the leaves before it in `order`? */
bool join_fits(const struct join *join, uint32_t k, const struct scene_event *event);

#endif
