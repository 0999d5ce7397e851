/*
 * A run that was seen, indexed for making leads: events by thread and step, the locks each thread
 * held, and two happens-before orders. The strong order has creation, joins and barriers alone
 * (only these hold in every run). The weak order has signals and posts too (events that only these
 * order are less likely to be reversible).
 */
#ifndef EXPLORE_SEARCH_RUNLOG_H
#define EXPLORE_SEARCH_RUNLOG_H

#include "explore/search/op_uses.h"
#include "explore/control/runner.h"

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
	uint32_t depth;	  /* number of leads between it and the first run */
	uint64_t turned;  /* the pair of sites whose order the last of them changed; 0: none */
	bool interesting; /* a read saw a write at another site than in any run before it */
	uint64_t hash;	  /* of what happened, including the order */
	unsigned leads;	  /* that refer to it and are open */
	VEC(struct control_slice) slices;
	runlog_numbers *positions; /* of each thread: from step to position */
	VEC(runlog_locks) held_sets;
	runlog_numbers parents;	       /* of each set: the one without its last lock */
	uint32_t *held;		       /* by position: the set before the event */
	runlog_locks *acquires;	       /* of each thread, in order */
	VEC(runlog_numbers) clocks[2]; /* strong, weak: number of steps of each thread */
	uint32_t *clock[2];	       /* by position: the clock before the event */
};

struct runlog *runlog_make(const struct outcome *outcome, uint32_t depth);
void runlog_free(struct runlog *log);

/* The position of a thread's step, or RUNLOG_NONE. */
uint32_t runlog_position(const struct runlog *log, uint32_t thread, uint32_t step);

/* Did the event at position a happen before the one at b? a must come before b in the run. */
bool runlog_happens_before(const struct runlog *log, uint32_t a, uint32_t b, bool weak);

/* The number of steps that a thread had done when the event at `position` happened. */
uint32_t runlog_steps_at(const struct runlog *log, uint32_t thread, uint32_t position);

/* Do two accesses have a byte in common? */
bool runlog_overlap(const struct control_event *a, const struct control_event *b);

#endif
