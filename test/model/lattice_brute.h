/*
 * doc/lattice.md, straight from its definitions: the order of a computation as a matrix, its sets as
 * lists, cuts as sets of events, formulas on words by recursion. Nothing of src/ is used.
 */
#ifndef MODEL_LATTICE_BRUTE_H
#define MODEL_LATTICE_BRUTE_H

#include "lattice_case.h"

#define SYSTEM_EVENTS 64
#define SYSTEM_SETS 64

struct system_set {
	int object;
	uint64_t members, closers; /* closers: of a lock */
	bool lock, shared;
};

/* Events with an order and sets: a computation, wherever it comes from. */
struct system {
	int count;
	uint64_t before[SYSTEM_EVENTS]; /* by event: what must have happened */
	int seen[SYSTEM_EVENTS]; /* who it is, 2 × line + 1 (a request: + 0); -1: nobody sees it */
	uint64_t fenced[SYSTEM_EVENTS]; /* by event: those with a thread's event in between */
	int set_count;
	struct system_set sets[SYSTEM_SETS];
};

/* What the law says of the case. */
void brute_system(const struct lattice_case *c, bool strong, bool all, struct system *out);

bool brute_enabled(const struct system *s, uint64_t cut, int event);

/* Cuts that are reached, levels, runs that are complete. False: there are too many. */
struct brute_counts {
	uint64_t cuts, levels, runs;
};
bool brute_count(const struct system *s, struct brute_counts *counts);

/*
 * The runs as an observer sees them: first violations by what happens there, and, where every event is
 * seen, how many complete runs violate. False: too many.
 */
struct brute_verdict {
	uint64_t violating;
	bool at[2 * CASE_EVENTS + 2]; /* by `seen`: some run violates it first there */
	bool any;
	bool at_start;
};
bool brute_judge(const struct lattice_case *c, const struct system *s, struct brute_verdict *out);

/* Have both the same runs for whoever only sees what is seen? NULL, or what is different. */
const char *brute_compare(const struct system *a, const struct system *b);

#endif
