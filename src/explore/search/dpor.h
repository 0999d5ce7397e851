/*
 * Systematic search: makes every run of a program that differs from the others in the order of
 * dependent operations, and (nearly) no run twice: see `asleep`. The algorithm is Source-DPOR with
 * sleep sets: Abdulla, Aronis, Jonsson, Sagonas, POPL 2014, algorithm 1. The search is stateless.
 * Each run follows a plan (a prefix of an earlier run, one other choice, then the policy) and shows
 * the search where else to branch.
 *
 *	while (dpor_next(dpor, &plan)) { run it; dpor_learn(dpor, &outcome); }
 *
 * The search does not branch on spurious wake-ups, nor on a time-out of an operation that could
 * succeed at that moment. (A time-out at an earlier moment is a run of its own.)
 */
#ifndef EXPLORE_SEARCH_DPOR_H
#define EXPLORE_SEARCH_DPOR_H

#include "explore/control/runner.h"
#include "explore/search/thread_set.h"

struct dpor_options {
	uint32_t bound;	       /* most preemptions in a run; DPOR_PATH_NONE: no limit */
	struct thread_set set; /* the threads to interleave */
	uint32_t plan_options; /* bits of enum control_option, for each plan */
	uint64_t most_steps;
};

struct dpor_stats {
	uint64_t runs;
	uint64_t asleep;    /* runs that a sleep set ended, because an equivalent run exists */
	uint64_t redundant; /* runs in which a thread ran although it was in the sleep set */
	uint64_t refused;   /* branches whose thread could not run */
	uint64_t diverged;  /* runs that did not repeat their prefix */
	uint64_t cut;	    /* levels at which the bound left out branches */
	uint64_t lost;	    /* runs that were too large to compare, or that did not end */
	uint64_t world;	    /* runs that waited for pipes or other processes */
	uint64_t opaque;    /* runs in which code took part that is not recorded */
	uint64_t unordered; /* runs with signals or cancellations, whose moment is not varied */
	uint32_t deepest;
};

struct dpor;
struct dpor *dpor_open(const struct dpor_options *options);
void dpor_close(struct dpor *dpor);

/* Is there no run left? */
bool dpor_is_finished(struct dpor *dpor);

/* Makes the plan of the next run. Returns false if the search is finished. */
bool dpor_next(struct dpor *dpor, struct plan *plan);
void dpor_learn(struct dpor *dpor, const struct outcome *outcome);

const struct dpor_stats *dpor_stats(const struct dpor *dpor);

/* After the search is finished: have all different runs been made? */
bool dpor_complete(const struct dpor *dpor);

#endif
