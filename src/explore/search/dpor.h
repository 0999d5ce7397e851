/*
 * Systematic search: makes every run of a program that differs from the others in the order of
 * dependent operations, each once (nearly: see `asleep`). This is Source-DPOR with sleep sets:
 * Abdulla, Aronis, Jonsson, Sagonas, POPL 2014, algorithm 1. The search is stateless. Each run
 * follows a plan (a prefix seen before, one other choice, then the policy) and shows the search
 * where else to branch.
 *
 *	while (dpor_next(dpor, &plan)) { run it; dpor_learn(dpor, &outcome); }
 *
 * It does not branch on spurious wake-ups, nor on a time-out of an operation that could succeed at
 * that moment (timing out earlier is a run of its own).
 */
#ifndef EXPLORE_SEARCH_DPOR_H
#define EXPLORE_SEARCH_DPOR_H

#include "explore/control/runner.h"
#include "explore/search/thread_set.h"

struct dpor_options {
	uint32_t bound;	       /* most preemptions in a run; DPOR_PATH_NONE: any number */
	struct thread_set set; /* threads that are interleaved */
	uint32_t plan_options; /* enum control_option for each plan */
	uint64_t most_steps;
};

struct dpor_stats {
	uint64_t runs;
	uint64_t asleep;    /* runs that a sleep set ended: an equivalent run exists */
	uint64_t redundant; /* runs in which a thread ran although it was in our sleep set */
	uint64_t refused;   /* branches that could not be taken after all */
	uint64_t diverged;  /* runs that did not repeat their prefix */
	uint64_t cut;	    /* branches left out because of the bound */
	uint64_t lost;	    /* runs that are too large to be compared, or that did not end */
	uint64_t world;	    /* runs that waited for something outside: pipes, other processes */
	uint64_t unordered; /* runs with signals or cancellations: when they come is not varied */
	uint32_t deepest;
};

struct dpor;
struct dpor *dpor_open(const struct dpor_options *options);
void dpor_close(struct dpor *dpor);

/* Makes the plan of the next run. Returns false if the search is at its end. */
bool dpor_next(struct dpor *dpor, struct plan *plan);
void dpor_learn(struct dpor *dpor, const struct outcome *outcome);

const struct dpor_stats *dpor_stats(const struct dpor *dpor);

/* At the end: were those all the runs there are, or was something left out? */
bool dpor_complete(const struct dpor *dpor);

#endif
