/* The state of a run, and what can happen next: doc/prediction.md, row by row. */
#ifndef MODEL_BRUTE_RULES_H
#define MODEL_BRUTE_RULES_H

#include "brute_facts.h"

/*
 * Everything that the future depends on. The locks that a thread holds, the values of semaphores
 * and the meetings of barriers follow from how far each thread is.
 */
struct state {
	uint8_t at[MAX_THREADS];   /* number of the thread's events that have happened */
	uint8_t wait[MAX_THREADS]; /* enum wait, combined with WAIT_LATE */
	uint8_t writer[MAX_CELLS]; /* last event that wrote the cell, or NONE */
	/*
	 * The threads that know of the rumour (`rumour` of facts), and from which event on; created
	 * threads whose creator knew; objects on which a thread that knew has operated.
	 */
	uint8_t told_at[MAX_THREADS];
	uint16_t told_threads, told_created;
	uint64_t told_objects;
};

enum wait { WAIT_NOT, WAIT_DEAF, WAIT_WOKEN, WAIT_LATE = 4 /* began after its recorded waker */ };

void rules_start(const struct facts *facts, struct state *state);

bool rules_has_happened(const struct facts *facts, const struct state *state, int event);
bool rules_is_created(const struct facts *facts, const struct state *state, int thread);

/*
 * Returns the thread's next event, or -1 if it has ended, is not created, or another event must
 * come first.
 */
int rules_next(const struct facts *facts, const struct state *state, int thread);

/*
 * Is the event the next of its thread, if only the events in `need` (one of facts->need…) must come
 * first?
 */
bool rules_is_next(const struct facts *facts, const struct state *state, int event,
		   const uint8_t need[MAX_THREADS]);

/* Does the thread wait on the condition without having been woken? */
bool rules_waits_on(const struct facts *facts, const struct state *state, int thread,
		    int condition);
/* Have all threads of this arrival's meeting arrived? */
bool rules_is_complete(const struct facts *facts, const struct state *state, int arrival);

/*
 * Computes the states after an event that is next, and returns their number: none if the event
 * cannot happen with its result, several if a signal can wake different threads. `out` must have
 * room for MAX_THREADS.
 */
int rules_step(const struct facts *facts, const struct state *state, int event, struct state *out);

/* Do the sync objects allow the event? If not, `*wrong` is the object that does not. */
bool rules_allows_object(const struct facts *facts, const struct state *state, int event,
			 int *wrong);

enum standing { OVER, ABSENT, GOES_ON, BLOCKED };

struct stand {
	enum standing standing;
	int event; /* BLOCKED: the next event, or the request at the end of the thread */
	/*
	 * set of the threads that it waits for: holders of the lock, the runner of a once, the
	 * thread to join
	 */
	unsigned owners;
	bool late; /* nothing has woken it, and it began after its waker of the base run */
};

/* Returns the thread's status: doc/prediction.md, "Blocked". */
struct stand rules_stand(const struct facts *facts, const struct state *state, int thread);

bool rules_is_race(const struct facts *facts, int a, int b);

#endif
