/* Keeps the best candidates of each group, and chooses which of them the solver is asked about. */
#include "predict/driver/site_group.h"

#include "base/mem.h"

#include <string.h>

#define ALWAYS_ASKED 2	    /* at least this many candidates of a group are asked about */
#define HALVING_FAILURES 64 /* this many queries in vain halve the number of candidates */

/* ---- keeping candidates ---------------------------------------------------------------------- */

struct site_group *site_groups_find(struct site_groups *groups, const struct analysis *analysis,
				    uint64_t key)
{
	bool fresh;
	uint64_t *number = map_put(&groups->numbers, key, &fresh);

	if (fresh) {
		*number = groups->items.count;
		*vec_push(&groups->items) =
			(struct site_group){ .key = key,
					     .found = analysis_has_finding(analysis, key) };
	}
	return &groups->items.items[*number];
}

static char *candidate_at(const struct site_groups *groups, const struct site_group *group,
			  size_t i)
{
	return group->candidates + i * groups->size;
}

/* Inserts into a sorted array, which is short. Equally good candidates keep their order. */
void *site_group_keep(struct site_groups *groups, struct site_group *group, const void *candidate)
{
	size_t at = group->kept;

	if (at == SITE_GROUP_MOST &&
	    !groups->is_better(candidate, candidate_at(groups, group, at - 1)))
		return NULL;
	for (size_t i = 0; groups->is_same && i < group->kept; i++) {
		if (groups->is_same(candidate_at(groups, group, i), candidate))
			return NULL;
	}
	if (at < SITE_GROUP_MOST) {
		group->candidates = mem_resize(group->candidates, ++group->kept, groups->size);
	} else {
		at--;
		if (groups->drop)
			groups->drop(candidate_at(groups, group, at));
	}
	for (; at && groups->is_better(candidate, candidate_at(groups, group, at - 1)); at--)
		memcpy(candidate_at(groups, group, at), candidate_at(groups, group, at - 1),
		       groups->size);
	return memcpy(candidate_at(groups, group, at), candidate, groups->size);
}

void site_groups_free(struct site_groups *groups)
{
	for (size_t i = 0; i < groups->items.count; i++) {
		struct site_group *group = &groups->items.items[i];

		for (size_t k = 0; groups->drop && k < group->kept; k++)
			groups->drop(candidate_at(groups, group, k));
		free(group->candidates);
	}
	vec_free(&groups->items);
	map_free(&groups->numbers);
}

/* ---- asking about them ----------------------------------------------------------------------- */

uint64_t site_group_query_limit(const struct analysis *analysis, uint64_t key, uint64_t most)
{
	uint64_t halvings = analysis_earlier_failures(analysis, key) / HALVING_FAILURES;
	uint64_t limit = halvings < 8 ? most >> halvings : 0;

	return limit < ALWAYS_ASKED ? ALWAYS_ASKED : limit;
}

static void ask_in_rounds(struct site_groups *groups, const struct analysis *analysis,
			  bool (*ask)(void *context, const void *candidate, uint64_t key),
			  void *context)
{
	bool more = true;

	for (size_t i = 0; more && i < SITE_GROUP_MOST; i++) {
		more = false;
		for (size_t j = 0; j < groups->items.count; j++) {
			struct site_group *group = &groups->items.items[j];

			if (group->found || i >= group->kept ||
			    i >= site_group_query_limit(analysis, group->key, SITE_GROUP_MOST))
				continue;
			if (analysis_out_of_time(analysis))
				return;
			more = true;
			group->asked++;
			group->found = ask(context, candidate_at(groups, group, i), group->key);
		}
	}
}

void site_groups_ask(struct site_groups *groups, struct analysis *analysis,
		     bool (*ask)(void *context, const void *candidate, uint64_t key), void *context)
{
	struct predict_stats *stats = &analysis->stats;

	ask_in_rounds(groups, analysis, ask, context);
	for (size_t i = 0; i < groups->items.count; i++) {
		const struct site_group *group = &groups->items.items[i];

		stats->candidates += group->total;
		if (group->found)
			stats->same_sites += group->total - group->asked;
		else
			stats->not_asked += group->total - group->asked;
		if (!group->found && group->asked)
			analysis_count_failures(analysis, group->key, group->asked);
	}
}
