/*
 * The claim that a pattern matches. The checker plays the schedule, finds the position of each
 * chosen event in it, and evaluates the pattern's syntax tree by doc/properties.md. The caller says
 * what the property's events are.
 */
#ifndef CHECK_PATTERN_H
#define CHECK_PATTERN_H

#include "check/checker.h"
#include "spec/tree.h"

#define CHECKER_UNBOUND UINT32_MAX

/* A property event. */
struct checker_occurrence {
	struct event_id anchor;
	bool before; /* it happens at the moment before its anchor, not at the anchor */
	bool may_be_next;
	uint32_t event;	   /* number in the property */
	uint32_t bindings; /* position of its binding in the property's `bindings` */
};

/* The events that began and ended the lifetime of a value, if the property names them. */
struct checker_lifetime {
	bool has_born, has_dead;
	struct event_id born, dead;
};

struct checker_property {
	uint32_t parameters; /* number of values in a binding */
	/* the events of a thread are in the order in which they happened */
	const struct checker_occurrence *occurrences;
	size_t count;
	const uint32_t *bindings;	      /* numbers of values, or CHECKER_UNBOUND */
	const struct checker_lifetime *lives; /* by value */
};

/*
 * A leaf of the pattern and the event chosen for it. Leaves for which no event is chosen are left
 * out.
 */
struct checker_choice {
	const struct spec_pattern *leaf;
	uint32_t occurrence;
};

struct checker_pattern_claim {
	const struct checker_property *property;
	const struct spec_pattern *pattern;
	const struct checker_choice *choices;
	size_t count;
};

#endif
