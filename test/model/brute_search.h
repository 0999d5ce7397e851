/* Searches all feasible prefixes of a trace, and what is found after each of them. */
#ifndef MODEL_BRUTE_SEARCH_H
#define MODEL_BRUTE_SEARCH_H

#include "brute_rules.h"

/* Why no thread of a set of blocked events continues. Several reasons can be true. */
enum why {
	BY_CYCLE = 1,	/* each thread waits for something that the next one holds */
	BY_NOBODY = 2,	/* no cycle, and no thread that could continue */
	BY_LATENESS = 4 /* the same, and a wait began after its signal */
};

struct found {
	unsigned why;
	int count;
	int events[MAX_THREADS]; /* sorted */
	long state[3];		 /* for each bit of `why`: the first state with this reason */
};

/* How a state was reached. */
struct origin {
	long state; /* the previous state, or -1 */
	int event;
};

/* A claim about events in an order: use-after-free, misuse, atomicity. */
struct claim {
	const char *kind;   /* kind, as in findings */
	const char *misuse; /* kind of misuse, or "" */
	int count;
	int events[4];
	int step_count;
	int steps[MAX_EVENTS]; /* a schedule that leads there */
};

struct findings {
	long states;
	struct origin *origins;		   /* by state */
	long race[MAX_EVENTS][MAX_EVENTS]; /* [smaller event][larger event]: 0, or 1 + the state */
	struct found *sets;
	int set_count, set_room;
	struct claim *claims;
	int claim_count, claim_room;
};

/* A search through all states. */
struct hunt {
	const struct facts *facts;
	struct findings *findings;
	/* Restricts the search: may this possible event happen here? NULL: always. */
	bool (*may)(const struct hunt *hunt, const struct state *state, int event);
	/* Called for each state; returns true to end the search. */
	bool (*visit)(struct hunt *hunt, const struct state *state, long number);
	const int *events; /* the events that the search is about, if any */
	const struct origin *origins;
	long count; /* number of states */
};

/*
 * Runs the search. Returns false if there are too many states. If `origins` is not NULL, the caller
 * frees them.
 */
bool search_hunt(struct hunt *hunt, struct origin **origins);

/*
 * Finds everything: races, sets of blocked events, claims. Returns false if there are too many
 * states.
 */
bool search_all(struct facts *facts, struct findings *findings);

/* Adds the blocked sets of one state to the findings. */
void search_blocked(const struct facts *facts, const struct state *state, long number,
		    struct findings *findings);

/* Adds a claim, if it is new, with the schedule that leads to a state of the search. */
void search_add(struct hunt *hunt, long state, const char *kind, const char *misuse,
		const int *events, int count);

/* Lists the events that lead to a state, in order. Returns their number. */
int search_path(const struct origin *origins, long state, int *events);
void search_free(struct findings *findings);

/* ---- uses of what is over (brute_over.c) -------------------------------------------------- */

/*
 * Returns the kind of finding that an end and a use form, by their kinds and bytes, or NULL.
 * `*misuse` is the kind of misuse.
 */
const char *over_kind(const struct facts *facts, int end, int use, const char **misuse);
bool over_find(struct facts *facts, struct findings *findings);
/* Does the claim hold in this state, in which `end` may have happened early? */
bool over_holds(const struct facts *facts, const struct state *state, int end, int use);
/* May the event happen after the end? If not, it is itself a use after the end. */
bool over_may(const struct facts *facts, const struct state *state, int end, int event);

/* ---- misuse (brute_misuse.c) -------------------------------------------------------------- */

void misuse_find(struct hunt *hunt, const struct state *state, long number);
void misuse_find_recorded(struct hunt *hunt);
bool misuse_holds(const struct facts *facts, const struct state *state, const char *misuse,
		  const int *events, int count);

/* ---- torn regions (brute_tear.c) ---------------------------------------------------------- */

/* In tear_*(), the four events are l1, r1, r2 and l2. */
bool tear_find(struct facts *facts, struct findings *findings);
/* is this a violation, whatever the prefix is? */
bool tear_counts(const struct facts *facts, const int events[4]);
/*
 * Does the claim hold after a prefix in which l1, r1, r2 happened in this order, and r2 was the
 * rumour?
 */
bool tear_holds(const struct facts *facts, const struct state *state, const int events[4]);

#endif
