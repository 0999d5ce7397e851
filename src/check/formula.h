/*
 * Formulas for the checker: what a run is said to violate. The judge plays the schedule, follows the
 * variables through it, and evaluates the formula's own tree on the word of states by doc/lattice.md,
 * straight from the definitions. It takes what the property's events are, and which events made the
 * states, from whoever read them; that no event was left out of the word it sees for itself.
 */
#ifndef CHECK_FORMULA_H
#define CHECK_FORMULA_H

#include "check/pattern.h"

enum checker_form { CHECKER_SIGNED, CHECKER_UNSIGNED, CHECKER_FLOATING };

/* A variable of the program that the property's expressions name. */
struct checker_variable {
	const char *name; /* spec_variable_name's */
	uint64_t address;
	uint8_t size, form; /* up to 8 bytes; enum checker_form */
	uint8_t initial[8];
};

/* A state of the word, behind the first. */
struct checker_moment {
	struct event_id anchor;
	bool before; /* the moment before it */
	bool paused; /* a state in which nothing happens comes first: "States and words" */
};

struct checker_word {
	const struct spec_property *property;
	const struct spec_formula *formula; /* always, never, ltl, ere */
	const struct checker_property *events;
	const uint32_t *binding; /* of the instance, by parameter: a value or CHECKER_UNBOUND */
	const struct checker_variable *variables;
	size_t variable_count;
	const struct checker_moment *moments;
	size_t moment_count;
	bool at_end; /* violated because the run is over, not by a bad prefix */
};

#endif
