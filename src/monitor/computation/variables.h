/* The variables that formulas, filters and `becomes` name: where they are, what they start with. */
#ifndef MONITOR_COMPUTATION_VARIABLES_H
#define MONITOR_COMPUTATION_VARIABLES_H

#include "monitor/computation/label.h"
#include "trace/trace.h"

/* Numbers of variables that a property names. */
struct variables_of {
	VEC(uint32_t) list;
};

/* A place in memory that belongs to a variable. */
struct variables_range {
	uint64_t low, high;
	uint32_t variable;
};

/* What a variable is, bytes as bits, while the recorded run is followed. */
struct variables_now {
	uint8_t bytes[8], known, written;
};

struct variables {
	VEC(struct label_variable) list;    /* each name once */
	VEC(struct variables_of) of;	    /* by property */
	VEC(struct variables_range) ranges; /* by address; they may overlap */
	VEC(struct variables_now) now;	    /* by variable */
	VEC(char *) names;		    /* and what is wrong with some of them */
};

/* Only properties with a formula for the lattice have any. */
void variables_find(const struct trace *trace, const struct property_set *set,
		    struct variables *variables);
void variables_free(struct variables *variables);

/* The first range that ends behind the address; those that an access touches follow it. */
size_t variables_first(const struct variables *variables, uint64_t address);

/*
 * The next access of memory of a recorded run. One that sees what no recorded write left makes the
 * variable an unknown one (variables_follow.c).
 */
void variables_follow(struct variables *variables, const struct trace_event *access);

/* Behind the last one: what variables hold at the end is one more read, where the recording kept it. */
void variables_follow_end(struct variables *variables, const struct trace *trace);

/* What is wrong with a variable, in words: a format for its name. */
void variables_doubt(struct variables *variables, struct label_variable *variable,
		     const char *format);

#endif
