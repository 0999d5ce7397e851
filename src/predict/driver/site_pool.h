/*
 * Candidates with the same code sites. One finding is wanted of them, so some are asked about, until
 * one is possible; fewer when it was in vain in earlier windows.
 */
#ifndef PREDICT_DRIVER_SITE_POOL_H
#define PREDICT_DRIVER_SITE_POOL_H

#include "predict/driver/analysis.h"

/* Candidates kept of a pool in one window, at most. */
#define SITE_POOL_MOST 24

struct site_pool {
	uint64_t key;
	uint64_t total; /* candidates, those that are not kept too */
	uint64_t asked;
	bool found; /* in this window, or its key is known from an earlier one */
};

/* Of `most` candidates with this key, how many to ask about. */
uint64_t site_pool_limit(const struct analysis *analysis, uint64_t key, uint64_t most);

/* The pools of an analysis, wherever it has them. */
struct pools {
	size_t count;
	/* The pool, and how many candidates are kept of it. */
	struct site_pool *(*at)(void *context, size_t pool, size_t *kept);
	/* Asks about one of them, and makes the claim: was it possible? */
	bool (*ask)(void *context, size_t pool, size_t candidate);
	void *context;
};

/*
 * Asks about the i-th candidate of each pool before the next of any: most show at once, others never.
 * Then counts, for the stats and for later windows.
 */
void pools_ask(const struct pools *pools, struct analysis *analysis);

#endif
