/*
 * The claim that a schedule violates a formula. The checker plays the schedule, follows the
 * variables through it, and evaluates the formula's syntax tree on the word of states, directly by
 * the definitions in doc/lattice.md. The caller says what the property's events are and which
 * events made the states. The checker itself verifies that no event was left out of the word.
 */
#ifndef CHECK_FORMULA_H
#define CHECK_FORMULA_H

#include "check/pattern.h"

enum checker_form { CHECKER_SIGNED, CHECKER_UNSIGNED, CHECKER_FLOATING };

/* A variable of the program that the property's expressions use. */
struct checker_variable {
	const char *name; /* as spec_variable_name() gives it */
	uint64_t address;
	uint8_t size, form; /* up to 8 bytes; enum checker_form */
	uint8_t initial[8];
};

/* A state of the word, other than the first one. */
struct checker_moment {
	struct event_id anchor;
	bool before; /* the moment just before the anchor */
	/* there is a state without events before this one: doc/lattice.md, "States and words" */
	bool paused;
};

struct checker_formula_claim {
	const struct spec_property *property;
	const struct spec_formula *formula; /* always, never, ltl, ere */
	const struct checker_property *events;
	const uint32_t *binding; /* values of the instance, by parameter; or CHECKER_UNBOUND */
	const struct checker_variable *variables;
	size_t variable_count;
	const struct checker_moment *moments;
	size_t moment_count;
	bool at_end; /* violated because the run is over, not because of a bad prefix */
};

#endif
