/*
 * Systematic search: every run of a program that differs from the others in the order of operations
 * that depend on each other, once (nearly: see `asleep`). Source-DPOR with sleep sets: Abdulla,
 * Aronis, Jonsson, Sagonas, POPL 2014, algorithm 1. Stateless: each run is a plan (a prefix that was
 * seen before, one other choice, then the policy) and teaches the search where else to branch.
 *
 *	while (dpor_next(dpor, &plan)) { run it; dpor_learn(dpor, &outcome); }
 *
 * What it does not branch on: spurious wake-ups; a time-out of an operation that could succeed at
 * that moment (that it times out earlier is a run of its own).
 */
#ifndef EXPLORE_SEARCH_DPOR_H
#define EXPLORE_SEARCH_DPOR_H

#include "explore/control/session.h"

struct dpor_options {
	uint32_t bound;	       /* most preemptions in a run; PATH_NONE: any number */
	const bool *window;    /* by thread: is it interleaved? NULL: all are */
	uint32_t window_count; /* threads behind it are not */
	uint32_t plan_options; /* enum control_option for each plan */
	uint64_t most_steps;
};

struct dpor_stats {
	uint64_t runs;
	uint64_t asleep;    /* runs that sleep sets ended: another one is equal to them */
	uint64_t redundant; /* runs in which a thread went on that we thought asleep */
	uint64_t refused;   /* branches that could not be taken after all */
	uint64_t diverged;  /* runs that did not repeat their prefix */
	uint64_t cut;	    /* branches left out because of the bound */
	uint64_t lost;	    /* runs that are too large to be compared, or that did not end */
	uint64_t world;	    /* runs that waited for something outside: pipes, other processes */
	uint64_t unordered; /* runs in which signals or cancellations came: where is not varied */
	uint32_t deepest;
};

struct dpor;
struct dpor *dpor_open(const struct dpor_options *options);
void dpor_close(struct dpor *dpor);

/* The next run, or false: the search is at its end. */
bool dpor_next(struct dpor *dpor, struct plan *plan);
void dpor_learn(struct dpor *dpor, const struct outcome *outcome);

const struct dpor_stats *dpor_stats(const struct dpor *dpor);

/* At the end: were those all the runs there are, or was something left out? */
bool dpor_complete(const struct dpor *dpor);

#endif
