/* All feasible prefixes of a trace, and what is found after them. */
#ifndef MODEL_BRUTE_SEARCH_H
#define MODEL_BRUTE_SEARCH_H

#include "brute_rules.h"

/* Why nobody of a set of blocked events goes on; several can be true. */
enum why {
	BY_CYCLE = 1,	/* each waits for what the next one has */
	BY_NOBODY = 2,	/* no cycle, and no thread that could go on */
	BY_LATENESS = 4 /* the same, and a wait began after its signal */
};

struct found {
	unsigned why;
	int count;
	int events[MAX_THREADS]; /* sorted */
	long state[3];		 /* for each bit of `why`: where it was seen first */
};

/* How a state was come by. */
struct origin {
	long state; /* the one before, or -1 */
	int event;
};

struct findings {
	long states;
	struct origin *origins;		   /* of each state */
	long race[MAX_EVENTS][MAX_EVENTS]; /* [smaller][larger]: 0, or 1 + the state */
	struct found *sets;
	int set_count, set_room;
};

/* False: more states than memory should hold. */
bool search_all(const struct facts *facts, struct findings *findings);

/* The blocked sets of one state, added to the findings. */
void search_blocked(const struct facts *facts, const struct state *state, long number,
		    struct findings *findings);

/* The events that lead to a state, in order. Returns how many. */
int search_path(const struct findings *findings, long state, int *events);
void search_free(struct findings *findings);

#endif
