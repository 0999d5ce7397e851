/*
 * Guided model checking: which runs of a program to look at, in which order, until one fails, all
 * that differ were seen, or the budget is used up.
 *
 * 0. The witness of each deadlock and lost signal that was predicted from the first run.
 * 1. Leads of the first run, the best first (leads.h); each run that went a new way is looked at
 *    again and its leads join the queue; now and then a run by random priorities.
 * 2. Systematically (dpor.h), first with few preemptions and within the window of threads that
 *    warnings named, then without bounds. If that comes to its end, everything was seen.
 * 3. Random priorities beside it, when it is not at its end after a while.
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
	uint64_t budget; /* executions, the first one counted */
	double seconds;	 /* 0: no limit */
	uint64_t seed;
	bool all;	      /* go on after the first failure */
	bool systematic_only; /* no leads, no random runs */
	uint64_t most_steps;  /* of a run; 0: by the length of the first */
	void (*progress)(void *context, const struct explore_progress *progress);
	void *context;
	/* Called after each execution; may be NULL. */
	void (*ran)(void *context, uint64_t execution, const char *how, const struct lead *lead,
		    const struct outcome *outcome);
	const volatile int *stop; /* not 0: end; may be NULL */
};

struct explore_result {
	VEC(struct failure) failures; /* in the order they were seen */
	uint64_t executions;	      /* the first run counted, minimising not */
	uint64_t by_leads, by_systematic, by_priorities;
	uint64_t leads_made, leads_left;
	uint64_t limits; /* runs that did not end within their steps or their time */
	bool complete;	 /* all runs that differ were seen */
	bool interrupted;
	bool at_its_end; /* the systematic search came to its end, whatever it left out */
	struct dpor_stats systematic; /* of the last pass */
	double seconds;
};

struct explore;
struct explore *explore_open(const struct explore_options *options);
void explore_close(struct explore *explore);

/* Before the first run: what analyses of its recording say. Stays the caller's, and must last. */
struct hints;
void explore_hint(struct explore *explore, const struct hints *hints);

/* The run that everything starts from. It counts as an execution; it may have failed itself. */
void explore_first(struct explore *explore, const struct outcome *outcome);

/*
 * False: the executor failed, with the reason; the result holds what was seen until then. Called again
 * it goes on from there, if the failure that ended it is doubtful.
 */
bool explore_search(struct explore *explore, struct executor *executor, struct err *err);

/* What the last run was: good as long as the executor runs nothing else. */
const struct outcome *explore_last(const struct explore *explore);

struct explore_result *explore_result(struct explore *explore);
int explore_usual_status(const struct explore *explore);

#endif
