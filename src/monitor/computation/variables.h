/* The variables that formulas, filters and `becomes` name: their addresses and initial values. */
#ifndef MONITOR_COMPUTATION_VARIABLES_H
#define MONITOR_COMPUTATION_VARIABLES_H

#include "monitor/computation/label.h"
#include "trace/trace.h"

/* Indices of the variables that a property names. */
struct variables_of {
	VEC(uint32_t) list;
};

/* The memory of a variable. */
struct variables_range {
	uint64_t low, high;
	uint32_t variable;
};

/* A variable's current value along the recorded run. `known` and `written` have a bit per byte. */
struct variables_now {
	uint8_t bytes[8], known, written;
};

struct variables {
	VEC(struct label_variable) list;    /* each name once */
	VEC(struct variables_of) of;	    /* by property */
	VEC(struct variables_range) ranges; /* sorted by address; they may overlap */
	VEC(struct variables_now) now;	    /* by variable */
	/* names, and texts about what is wrong with variables */
	VEC(char *) names;
};

/* Finds the variables of all properties that have a formula for the lattice. */
void variables_find(const struct trace *trace, const struct property_set *set,
		    struct variables *variables);
void variables_free(struct variables *variables);

/*
 * Returns the index of the first range that may end after the address. The ranges that an access at
 * this address touches are among those from this index on.
 */
size_t variables_first(const struct variables *variables, uint64_t address);

/*
 * Updates the variables for the next access of the recorded run. A read of a value that no recorded
 * write left makes the variable unknown (variables_follow.c).
 */
void variables_follow(struct variables *variables, const struct trace_event *access);

/*
 * Call this after the last access: the final values that the recording has count as one more read.
 */
void variables_follow_end(struct variables *variables, const struct trace *trace);

/* Records what is wrong with a variable. `format` gets its name. */
void variables_doubt(struct variables *variables, struct label_variable *variable,
		     const char *format);

#endif
