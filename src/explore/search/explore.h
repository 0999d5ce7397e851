/*
 * Guided model checking: decides which runs of a program to make, and in which order, until a run
 * fails, all different runs were made, or the budget is used up.
 *
 * 0. The witness of each finding, other than a race, that was predicted from the first run.
 * 1. Leads of the first run, the best first (leads.h). Each run that does something new adds its
 *    leads to the queue. Every few runs, one run has random priorities.
 * 2. Systematic search (dpor.h), at first with few preemptions and only among the threads that
 *    the hints name, then without bounds. If it finishes without a gap, the search is complete.
 * 3. If that takes long, runs with random priorities in between.
 */
#ifndef EXPLORE_SEARCH_EXPLORE_H
#define EXPLORE_SEARCH_EXPLORE_H

#include "explore/search/dpor.h"
#include "explore/search/failure.h"
#include "explore/search/leads.h"

struct explore_progress {
	const char *phase;
	uint64_t executions, leads_left;
	size_t failures;
	double seconds;
};

struct explore_options {
	uint64_t budget; /* executions, including the first run */
	double seconds;	 /* 0: no limit */
	uint64_t seed;
	bool all;	      /* continue after the first failure */
	bool systematic_only; /* neither leads nor random runs */
	uint64_t most_steps;  /* in a run; 0: derived from the length of the first run */
	void (*progress)(void *context, const struct explore_progress *progress);
	void *context;
	/* Called after each execution; may be NULL. */
	void (*ran)(void *context, uint64_t execution, const char *how, const struct lead *lead,
		    const struct outcome *outcome);
	const volatile int *stop; /* if it is not 0, the search ends; may be NULL */
};

struct explore_result {
	VEC(struct failure) failures; /* in the order of their first execution */
	uint64_t executions;	      /* including the first run, excluding runs for minimising */
	uint64_t by_leads, by_systematic, by_priorities;
	uint64_t leads_made, leads_left;
	uint64_t limits; /* runs that exceeded their limit of steps or time */
	bool complete;	 /* all different runs have been made */
	/*
	 * How the first run ended (as from waitpid), and whether it started no thread. If it failed
	 * by itself or has no threads, the other runs say little about the program.
	 */
	int first_status;
	bool first_alone;
	bool interrupted;
	bool at_its_end; /* the systematic search finished, even if it left something out */
	struct dpor_stats systematic; /* of the last pass */
	double seconds;
};

struct explore;
struct explore *explore_open(const struct explore_options *options);
void explore_close(struct explore *explore);

/*
 * Passes the hints that analyses of the first recording give. To be called before the first run.
 * The caller keeps the hints until the search is closed.
 */
struct hints;
void explore_hint(struct explore *explore, const struct hints *hints);

/*
 * Passes the first run, from which the search starts. It counts as an execution, and it may itself
 * have failed.
 */
void explore_first(struct explore *explore, const struct outcome *outcome);

/*
 * Searches. Returns false if the executor failed; `err` says why, and the result holds what was
 * found until then. May be called again to continue, for example after a failure was marked as
 * doubtful.
 */
bool explore_search(struct explore *explore, struct executor *executor, struct err *err);

/* The outcome of the last run: valid until the executor runs again. */
const struct outcome *explore_last(const struct explore *explore);

struct explore_result *explore_result(struct explore *explore);
int explore_usual_status(const struct explore *explore);

#endif
