/*
 * The definitions of doc/lattice.md, evaluated directly: the order of a computation as a matrix,
 * its sets as lists, cuts as sets of events, formulas on words by recursion. Uses nothing of src/.
 */
#ifndef MODEL_LATTICE_BRUTE_H
#define MODEL_LATTICE_BRUTE_H

#include "lattice_case.h"

#define SYSTEM_EVENTS 64
#define SYSTEM_SETS 64

struct system_set {
	int object;
	uint64_t members, closers; /* closers: the events that close the set of a lock */
	bool lock, shared;
};

/* Events with an order and sets: a computation, computed by the definitions or by the tool. */
struct system {
	int count;
	uint64_t before[SYSTEM_EVENTS]; /* by event: the events that must have happened before */
	/* by event: its identity, 2 × line + 1 (a request: 2 × line); -1: no observer sees it */
	int seen[SYSTEM_EVENTS];
	/* by event: the earlier events that an event of a thread separates from it */
	uint64_t fenced[SYSTEM_EVENTS];
	int set_count;
	struct system_set sets[SYSTEM_SETS];
};

/* Computes the system of a case from the definitions. */
void brute_system(const struct lattice_case *c, bool strong, bool all, struct system *out);

bool brute_enabled(const struct system *s, uint64_t cut, int event);

/* Numbers of reachable cuts, levels and complete runs. Returns false if there are too many. */
struct brute_counts {
	uint64_t cuts, levels, runs;
};
bool brute_count(const struct system *s, struct brute_counts *counts);

/*
 * The verdict on the runs as an observer sees them: the first violations, by event, and, if every
 * event is seen, the number of complete runs that violate the formula. Returns false if there are
 * too many.
 */
struct brute_verdict {
	uint64_t violating;
	bool at[2 * CASE_EVENTS + 2]; /* by `seen`: some run has its first violation there */
	bool any;
	bool at_start;
};
bool brute_judge(const struct lattice_case *c, const struct system *s, struct brute_verdict *out);

/*
 * Do both systems have the same runs, for an observer of the seen events? Returns NULL, or the
 * difference.
 */
const char *brute_compare(const struct system *a, const struct system *b);

#endif
