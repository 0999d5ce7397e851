/*
 * Guided model checking: decides which runs of a program to make, in which order, until one fails,
 * all different runs were made, or the budget is used up.
 *
 * 0. The witness of each deadlock and lost signal that was predicted from the first run.
 * 1. Leads of the first run, the best first (leads.h). The leads of each run that went
 *    a new way join the queue. Every few runs, one with random priorities.
 * 2. Systematic search (dpor.h), first with few preemptions and only among the threads
 *    that warnings named, then without bounds. If it comes to its end, it is complete.
 * 3. Runs with random priorities beside it, when it has not ended after a while.
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
	uint64_t budget; /* executions, including the first one */
	double seconds;	 /* 0: no limit */
	uint64_t seed;
	bool all;	      /* continue after the first failure */
	bool systematic_only; /* no leads, no random runs */
	uint64_t most_steps;  /* of a run; 0: chosen by the length of the first */
	void (*progress)(void *context, const struct explore_progress *progress);
	void *context;
	/* Called after each execution; may be NULL. */
	void (*ran)(void *context, uint64_t execution, const char *how, const struct lead *lead,
		    const struct outcome *outcome);
	const volatile int *stop; /* not 0: stop; may be NULL */
};

struct explore_result {
	VEC(struct failure) failures; /* in the order in which they were seen */
	uint64_t executions;	      /* including the first run, without minimising */
	uint64_t by_leads, by_systematic, by_priorities;
	uint64_t leads_made, leads_left;
	uint64_t limits; /* runs that did not end within their steps or their time */
	bool complete;	 /* all different runs were made */
	bool interrupted;
	bool at_its_end; /* the systematic search came to its end, even if it left something out */
	struct dpor_stats systematic; /* of the last pass */
	double seconds;
};

struct explore;
struct explore *explore_open(const struct explore_options *options);
void explore_close(struct explore *explore);

/*
 * Before the first run: passes what analyses of its recording say. The hints stay the caller's and
 * must outlive the search.
 */
struct hints;
void explore_hint(struct explore *explore, const struct hints *hints);

/*
 * Passes the run that everything starts from. It counts as an execution; it may itself have failed.
 */
void explore_first(struct explore *explore, const struct outcome *outcome);

/*
 * Searches. Returns false if the executor failed (`err` says why); the result holds what was seen
 * until then. After a failure that turned out to be doubtful, calling it again continues the
 * search.
 */
bool explore_search(struct explore *explore, struct executor *executor, struct err *err);

/* The outcome of the last run: valid until the executor runs again. */
const struct outcome *explore_last(const struct explore *explore);

struct explore_result *explore_result(struct explore *explore);
int explore_usual_status(const struct explore *explore);

#endif
