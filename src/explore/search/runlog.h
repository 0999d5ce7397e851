/*
 * A run that was seen, kept for what can be learnt from it: by thread and step, what each thread
 * held, and two happens-before orders: by creation, joins and barriers alone (nothing else can be
 * otherwise in another run), and with signals and posts (what is ordered by them alone is less
 * likely to be turned round).
 */
#ifndef EXPLORE_SEARCH_RUNLOG_H
#define EXPLORE_SEARCH_RUNLOG_H

#include "explore/search/op_uses.h"
#include "explore/control/session.h"

#define RUNLOG_NONE UINT32_MAX

struct runlog_lock {
	uint64_t address;
	uint32_t step; /* of the acquire */
	bool shared;
};
typedef VEC(struct runlog_lock) runlog_locks;
typedef VEC(uint32_t) runlog_numbers;

struct runlog {
	struct control_event *events;
	uint32_t count, threads;
	uint32_t depth;	  /* how many leads it is away from the first run */
	uint64_t turned;  /* the pair of sites whose order the last of them changed; 0: none */
	bool interesting; /* a read saw a write at another site than in any run before it */
	uint64_t hash;	  /* of what happened, order included */
	unsigned leads;	  /* that refer to it and are open */
	VEC(struct control_run) runs;
	runlog_numbers *places; /* of each thread: step to position */
	VEC(runlog_locks) held_sets;
	runlog_numbers parents;	       /* of each set: the one without its last lock */
	uint32_t *held;		       /* by position: set before the event */
	runlog_locks *acquires;	       /* of each thread, in order */
	VEC(runlog_numbers) clocks[2]; /* strong, weak: how many steps of each thread */
	uint32_t *clock[2];	       /* by position: clock before the event */
};

struct runlog *runlog_make(const struct outcome *outcome, uint32_t depth);
void runlog_free(struct runlog *log);

/* The event of a thread's step, or NULL; its position, or RUNLOG_NONE. */
uint32_t runlog_place(const struct runlog *log, uint32_t thread, uint32_t step);

/* Did the event at position a happen before the one at b, a before b in the run? */
bool runlog_before(const struct runlog *log, uint32_t a, uint32_t b, bool weak);

/* How many steps a thread had done when the event at `position` happened. */
uint32_t runlog_steps_at(const struct runlog *log, uint32_t thread, uint32_t position);

/* Do two accesses have a byte in common? */
bool runlog_overlap(const struct control_event *a, const struct control_event *b);

#endif
