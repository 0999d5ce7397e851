/*
 * The log of a run, indexed for making leads: events by thread and step, the locks that each thread
 * held, and two happens-before orders. The strong order consists of creation, joins and barriers
 * only, which hold in every run. The weak order also has signals and posts; two events that only
 * the weak order orders are less likely to be reversible.
 */
#ifndef EXPLORE_SEARCH_RUNLOG_H
#define EXPLORE_SEARCH_RUNLOG_H

#include "explore/search/op_uses.h"
#include "explore/control/runner.h"

#define RUNLOG_NONE UINT32_MAX

struct runlog_lock {
	uint64_t address;
	uint32_t step; /* step of the acquire */
	bool shared;
};
typedef VEC(struct runlog_lock) runlog_locks;
typedef VEC(uint32_t) runlog_numbers;

struct runlog {
	struct control_event *events;
	uint32_t count, threads;
	uint32_t depth;	  /* number of leads that led from the first run to this one */
	uint64_t turned;  /* pair of sites that the last of these leads reversed; 0: none */
	bool interesting; /* something in it was new: see shows_new_pairs() in leads.c */
	uint64_t hash;	  /* of the events in their order */
	unsigned leads;	  /* number of leads that refer to this log */
	VEC(struct control_slice) slices;
	runlog_numbers *positions; /* by thread and step: position in `events` */
	VEC(runlog_locks) held_sets;
	runlog_numbers parents;	       /* by set: number of the set without its last lock */
	uint32_t *held;		       /* by position: number of the set before the event */
	runlog_locks *acquires;	       /* by thread: its acquires, in order */
	VEC(runlog_numbers) clocks[2]; /* strong, weak; numbers of steps by thread */
	uint32_t *clock[2];	       /* by position: number of the clock before the event */
};

struct runlog *runlog_make(const struct outcome *outcome, uint32_t depth);
void runlog_free(struct runlog *log);

/* Returns the position of a thread's step, or RUNLOG_NONE. */
uint32_t runlog_position(const struct runlog *log, uint32_t thread, uint32_t step);

/* Did the event at position `a` happen before the event at `b`? `a` must precede `b` in the run. */
bool runlog_happens_before(const struct runlog *log, uint32_t a, uint32_t b, bool weak);

/* Returns the number of steps that a thread had done when the event at `position` happened. */
uint32_t runlog_steps_at(const struct runlog *log, uint32_t thread, uint32_t position);

/* Do two accesses have a byte in common? */
bool runlog_overlap(const struct control_event *a, const struct control_event *b);

#endif
