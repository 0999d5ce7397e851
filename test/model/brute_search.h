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

/* What is claimed of events in an order: use-after-free, misuse, atomicity. */
struct claim {
	const char *kind;   /* as findings say */
	const char *misuse; /* which; "" */
	int count;
	int events[4];
	int step_count;
	int steps[MAX_EVENTS]; /* a way there */
};

struct findings {
	long states;
	struct origin *origins;		   /* of each state */
	long race[MAX_EVENTS][MAX_EVENTS]; /* [smaller][larger]: 0, or 1 + the state */
	struct found *sets;
	int set_count, set_room;
	struct claim *claims;
	int claim_count, claim_room;
};

/* A walk through all states. */
struct hunt {
	const struct facts *facts;
	struct findings *findings;
	/* May the event, which can happen, happen here? NULL: always. */
	bool (*may)(const struct hunt *hunt, const struct state *state, int event);
	/* Looks at a state; true: that is enough. */
	bool (*visit)(struct hunt *hunt, const struct state *state, long number);
	const int *events; /* that it is about, if it is about some */
	const struct origin *origins;
	long count; /* of states */
};

/* False: more states than memory should hold. `origins`, if asked for, are to be freed. */
bool search_hunt(struct hunt *hunt, struct origin **origins);

/* All that is found: races, sets of blocked events, claims. False: too many states. */
bool search_all(struct facts *facts, struct findings *findings);

/* The blocked sets of one state, added to the findings. */
void search_blocked(const struct facts *facts, const struct state *state, long number,
		    struct findings *findings);

/* Adds a claim, if it is new, with the way to a state of the hunt. */
void search_add(struct hunt *hunt, long state, const char *kind, const char *misuse,
		const int *events, int count);

/* The events that lead to a state, in order. Returns how many. */
int search_path(const struct origin *origins, long state, int *events);
void search_free(struct findings *findings);

/* ---- uses of what is over (brute_over.c) -------------------------------------------------- */

/* What an end and a use are, by their kinds and bytes: NULL nothing; `*misuse` says which. */
const char *over_kind(const struct facts *facts, int end, int use, const char **misuse);
bool over_find(struct facts *facts, struct findings *findings);
/* After these events, of which `end` may be one that came early. */
bool over_holds(const struct facts *facts, const struct state *state, int end, int use);
/* May the event happen behind the end? If not it is itself a use of what is over. */
bool over_may(const struct facts *facts, const struct state *state, int end, int event);

/* ---- misuse (brute_misuse.c) -------------------------------------------------------------- */

void misuse_find(struct hunt *hunt, const struct state *state, long number);
void misuse_find_recorded(struct hunt *hunt);
bool misuse_holds(const struct facts *facts, const struct state *state, const char *misuse,
		  const int *events, int count);

/* ---- torn regions (brute_tear.c) ---------------------------------------------------------- */

/* l1, r1, r2, l2 */
bool tear_find(struct facts *facts, struct findings *findings);
bool tear_counts(const struct facts *facts, const int events[4]); /* whatever the prefix is */
/* After a prefix in which l1, r1, r2 happened in this order, and r2 was the rumour. */
bool tear_holds(const struct facts *facts, const struct state *state, const int events[4]);

#endif
