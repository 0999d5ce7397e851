/*
 * Choosing events for the leaves of a form, leaf by leaf: a join of the property's events over
 * their bindings, with threads and regions, and without choices whose order contradicts what has
 * to be (needs.h).
 */
#ifndef PREDICT_PATTERN_JOIN_H
#define PREDICT_PATTERN_JOIN_H

#include "predict/pattern_scene.h"

/* A choice for every leaf: numbers in the scene's events, by leaf. */
struct join_choice {
	const struct form *form;
	const uint32_t *events;
};

struct join {
	const struct scene *scene;
	const struct form *form;
	void (*take)(void *context, const struct join_choice *choice);
	bool (*is_over)(void *context); /* asked now and then: is the time over? */
	void *context;
	/*
	 * So many events are looked at, for all leaves together. `narrow`: of long lists only those
	 * nearest to what was chosen before, and of one thread and site only some of them.
	 */
	uint64_t steps;
	bool narrow;
	/* out: events that were passed over, at least */
	uint64_t left;
	/* private */
	uint32_t order[FORM_LEAVES]; /* leaves as they are chosen for */
	uint32_t chosen[FORM_LEAVES];
	uint32_t *binding;
	uint32_t *thread_names; /* of the formula: thread of the model, or ORDER_NONE */
	uint32_t names;
};

/* Calls `take` for each choice; false: it ended early. */
bool join_run(struct join *join, const struct spec_formula *formula);

#endif
