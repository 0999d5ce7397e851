/* The variables that formulas, filters and `becomes` name: where they are, what they start with. */
#ifndef MONITOR_VARIABLES_H
#define MONITOR_VARIABLES_H

#include "monitor/label.h"

/* Numbers of variables that a property names. */
struct variables_of {
	VEC(uint32_t) list;
};

/* A place in memory that belongs to a variable. */
struct variables_range {
	uint64_t low, high;
	uint32_t variable;
};

struct variables {
	VEC(struct label_variable) list;    /* each name once */
	VEC(struct variables_of) of;	    /* by property */
	VEC(struct variables_range) ranges; /* by address; they may overlap */
	VEC(char *) names;		    /* and what is wrong with some of them */
};

/* Only properties with a formula for the lattice have any. */
void variables_find(const struct trace *trace, const struct property_set *set,
		    struct variables *variables);
void variables_free(struct variables *variables);

/* The first range that ends behind the address; those that an access touches follow it. */
size_t variables_first(const struct variables *variables, uint64_t address);

/* Has the property a formula that a lattice judges? */
bool variables_is_judged(const struct spec_property *property);

#endif
