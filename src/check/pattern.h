/*
 * Patterns for the checker: what a match is said to be. The judge plays the schedule, looks where
 * each chosen event came in it, and evaluates the pattern's own tree by doc/properties.md. It
 * takes what the property's events are from whoever read them.
 */
#ifndef CHECK_PATTERN_H
#define CHECK_PATTERN_H

#include "check/checker.h"
#include "spec/tree.h"

#define CHECKER_UNBOUND UINT32_MAX

/* A property event. */
struct checker_occurrence {
	struct event_id anchor;
	bool before; /* the moment before its anchor */
	bool may_be_next;
	uint32_t event;	   /* of the property */
	uint32_t bindings; /* start in the property's */
};

/* The events that began and ended the life of a value, where properties said so. */
struct checker_life {
	bool has_born, has_dead;
	struct event_id born, dead;
};

struct checker_property {
	uint32_t parameters;			      /* numbers in a binding */
	const struct checker_occurrence *occurrences; /* a thread's in the order they happened */
	size_t count;
	const uint32_t *bindings;	  /* numbers of values, or CHECKER_UNBOUND */
	const struct checker_life *lives; /* by value */
};

/* A leaf of the pattern and what is chosen for it. Leaves without a choice are left out. */
struct checker_choice {
	const struct spec_pattern *leaf;
	uint32_t occurrence;
};

struct checker_match {
	const struct checker_property *property;
	const struct spec_pattern *pattern;
	const struct checker_choice *choices;
	size_t count;
};

#endif
