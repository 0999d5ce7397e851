/* A point in a run, and what can happen there: doc/prediction.md row by row. */
#ifndef MODEL_BRUTE_RULES_H
#define MODEL_BRUTE_RULES_H

#include "brute_facts.h"

/*
 * All that the future depends on. What a thread holds, how much a semaphore has and who met at a
 * barrier follow from how far the threads are.
 */
struct state {
	uint8_t at[MAX_THREADS];   /* how many of a thread's events have happened */
	uint8_t wait[MAX_THREADS]; /* enum wait, and WAIT_LATE */
	uint8_t writer[MAX_CELLS]; /* who wrote the cell last, or NONE */
	/* Who knows of the rumour (facts), from which event on, and objects by what was done to them. */
	uint8_t told_at[MAX_THREADS];
	uint16_t told_threads, told_created;
	uint64_t told_objects;
};

enum wait { WAIT_NOT, WAIT_DEAF, WAIT_WOKEN, WAIT_LATE = 4 /* began after its recorded waker */ };

void rules_start(const struct facts *facts, struct state *state);

bool rules_has_happened(const struct facts *facts, const struct state *state, int event);
bool rules_is_created(const struct facts *facts, const struct state *state, int thread);

/* The thread's next event, or -1: over, not created, or something must come first. */
int rules_next(const struct facts *facts, const struct state *state, int thread);

/* Is it its thread's next event, if no more must come first than this (one of facts->need…)? */
bool rules_is_next(const struct facts *facts, const struct state *state, int event,
		   const uint8_t need[MAX_THREADS]);

/* Does the thread wait on the condition, and nothing has woken it? */
bool rules_waits_on(const struct facts *facts, const struct state *state, int thread,
		    int condition);
/* Is the meeting of this arrival complete? */
bool rules_is_complete(const struct facts *facts, const struct state *state, int arrival);

/*
 * The states after an event that is next; none if it cannot happen with its result. More than one
 * when a signal has a choice. Room for MAX_THREADS.
 */
int rules_step(const struct facts *facts, const struct state *state, int event, struct state *out);

/* Do the sync objects allow the event? If not, `*wrong` is the one that does not. */
bool rules_allows_object(const struct facts *facts, const struct state *state, int event,
			 int *wrong);

enum standing { OVER, ABSENT, GOES_ON, BLOCKED };

struct stand {
	enum standing standing;
	int event;	 /* BLOCKED: the next one, or the request at the end */
	unsigned owners; /* set of threads that have what it waits for: a lock, a once, an end */
	bool late;	 /* nothing has woken it, and it began after what did in the base run */
};

/* How the thread stands: doc/prediction.md, "Blocked". */
struct stand rules_stand(const struct facts *facts, const struct state *state, int thread);

bool rules_is_race(const struct facts *facts, int a, int b);

#endif
