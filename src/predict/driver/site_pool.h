/*
 * Groups of candidates with the same code sites. Only one finding is wanted for each group, so the
 * solver is asked about some of its candidates until one is possible. Queries that were in vain in
 * earlier windows reduce the number.
 */
#ifndef PREDICT_DRIVER_SITE_POOL_H
#define PREDICT_DRIVER_SITE_POOL_H

#include "predict/driver/analysis.h"

/* The largest number of candidates that a group keeps in one window. */
#define SITE_GROUP_MOST 24

struct site_group {
	uint64_t key;
	uint64_t total; /* all candidates, including those that are not kept */
	uint64_t asked;
	bool found; /* in this window, or in an earlier one */
};

/* How many of `most` candidates with this key to ask about. */
uint64_t site_group_query_limit(const struct analysis *analysis, uint64_t key, uint64_t most);

/* All groups of an analysis. The analysis stores them as it likes. */
struct site_groups {
	size_t count;
	/* The group, and how many candidates it keeps. */
	struct site_group *(*at)(void *context, size_t group, size_t *kept);
	/* Asks about one candidate and adds the claim. Returns whether it was possible. */
	bool (*ask)(void *context, size_t group, size_t candidate);
	void *context;
};

/*
 * Asks about the first candidate of each group, then about the second of each, and so on: most
 * findings show at once, and other candidates are never possible. Then updates the statistics, and
 * the counts for later windows.
 */
void site_groups_ask(const struct site_groups *groups, struct analysis *analysis);

#endif
