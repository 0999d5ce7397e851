/* Chooses which candidates of a group with the same code sites the solver is asked about. */
#include "predict/driver/site_pool.h"

#define ALWAYS_ASKED 2	    /* candidates are always asked about */
#define HALVING_FAILURES 64 /* this many queries in vain halve the number */

uint64_t site_group_query_limit(const struct analysis *analysis, uint64_t key, uint64_t most)
{
	uint64_t halvings = analysis_earlier_failures(analysis, key) / HALVING_FAILURES;
	uint64_t limit = halvings < 8 ? most >> halvings : 0;

	return limit < ALWAYS_ASKED ? ALWAYS_ASKED : limit;
}

static void ask_in_rounds(const struct site_groups *groups, const struct analysis *analysis)
{
	bool more = true;

	for (size_t i = 0; more && i < SITE_GROUP_MOST; i++) {
		more = false;
		for (size_t j = 0; j < groups->count; j++) {
			size_t kept;
			struct site_group *group = groups->at(groups->context, j, &kept);

			if (group->found || i >= kept ||
			    i >= site_group_query_limit(analysis, group->key, SITE_GROUP_MOST))
				continue;
			if (analysis_out_of_time(analysis))
				return;
			more = true;
			group->asked++;
			group->found = groups->ask(groups->context, j, i);
		}
	}
}

void site_groups_ask(const struct site_groups *groups, struct analysis *analysis)
{
	struct predict_stats *stats = &analysis->stats;

	ask_in_rounds(groups, analysis);
	for (size_t i = 0; i < groups->count; i++) {
		size_t kept;
		const struct site_group *group = groups->at(groups->context, i, &kept);

		stats->candidates += group->total;
		if (group->found)
			stats->same_sites += group->total - group->asked;
		else
			stats->not_asked += group->total - group->asked;
		if (!group->found && group->asked)
			analysis_count_failures(analysis, group->key, group->asked);
	}
}
