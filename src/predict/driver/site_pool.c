#include "predict/driver/site_pool.h"

#define LEAST 2	 /* are asked about, whatever came before */
#define TIRED 64 /* so many in vain halve the number */

uint64_t site_pool_limit(const struct analysis *analysis, uint64_t key, uint64_t most)
{
	uint64_t halvings = analysis_tries(analysis, key) / TIRED;
	uint64_t limit = halvings < 8 ? most >> halvings : 0;

	return limit < LEAST ? LEAST : limit;
}

static void ask_all(const struct pools *pools, const struct analysis *analysis)
{
	bool more = true;

	for (size_t i = 0; more && i < SITE_POOL_MOST; i++) {
		more = false;
		for (size_t j = 0; j < pools->count; j++) {
			size_t kept;
			struct site_pool *pool = pools->at(pools->context, j, &kept);

			if (pool->found || i >= kept ||
			    i >= site_pool_limit(analysis, pool->key, SITE_POOL_MOST))
				continue;
			if (analysis_is_over(analysis))
				return;
			more = true;
			pool->asked++;
			pool->found = pools->ask(pools->context, j, i);
		}
	}
}

void pools_ask(const struct pools *pools, struct analysis *analysis)
{
	struct predict_stats *stats = &analysis->stats;

	ask_all(pools, analysis);
	for (size_t i = 0; i < pools->count; i++) {
		size_t kept;
		const struct site_pool *pool = pools->at(pools->context, i, &kept);

		stats->candidates += pool->total;
		if (pool->found)
			stats->same_sites += pool->total - pool->asked;
		else
			stats->not_asked += pool->total - pool->asked;
		if (!pool->found && pool->asked)
			analysis_tried(analysis, pool->key, pool->asked);
	}
}
