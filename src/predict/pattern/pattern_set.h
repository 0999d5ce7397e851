/*
 * The `pattern:` formulas of a set of properties, ready to be searched in windows: their normal
 * forms, and the recorded events that must be nodes for them. Made once for a prediction; does not
 * change while analyses run.
 */
#ifndef PREDICT_PATTERN_PATTERN_SET_H
#define PREDICT_PATTERN_PATTERN_SET_H

#include "check/pattern.h"
#include "order/window/window.h"
#include "predict/pattern/pattern_form.h"
#include "property/property.h"

struct pattern_formula {
	uint32_t property; /* position in the set of properties */
	uint32_t number;   /* among the property's formulas, from 1 */
	const struct spec_formula *formula;
	form_list forms;
};

/* A property event that happens at a kept event. */
struct pattern_use {
	/* `property`: position in the property set; `event`: number among the property's events */
	uint32_t property, event;
};

struct pattern_set {
	const struct property_set *properties;
	VEC(struct pattern_formula) formulas; /* those of one property are consecutive */
	VEC(struct window_keep) keeps;	      /* for window_reader_keep() */
	VEC(uint32_t) use_start;	      /* by keep: start of its uses; one more at the end */
	VEC(struct pattern_use) uses;
	struct checker_property *checker_properties; /* by property: its events for the checker */
	/* patterns, or parts of them, that are not searched */
	VEC(char *) problems;
};

/* Returns NULL when no property has a pattern. */
struct pattern_set *pattern_set_open(const struct property_set *properties);
void pattern_set_close(struct pattern_set *set);

/* The position in `keeps` of an event (not of the moment before it), or ORDER_NONE. */
uint32_t pattern_set_find(const struct pattern_set *set, struct event_id id);

#endif
