/*
 * Groups of candidates with the same code sites. Only one finding is wanted for each group, so the
 * solver is asked about some of its candidates until one is possible. The more queries about the
 * group were in vain in earlier windows, the fewer are asked.
 *
 * A candidate is a struct of the analysis; the groups only copy and compare it.
 */
#ifndef PREDICT_DRIVER_SITE_GROUP_H
#define PREDICT_DRIVER_SITE_GROUP_H

#include "base/map.h"
#include "predict/driver/analysis.h"

/* The largest number of candidates that a group keeps in one window. */
#define SITE_GROUP_MOST 24

struct site_group {
	uint64_t key;
	/* number of all candidates, including those not kept; the analysis counts them */
	uint64_t total;
	uint64_t asked;
	bool found; /* the sites have a finding, in this window or an earlier one */
	size_t kept;
	char *candidates; /* the best first */
};

struct site_groups {
	size_t size; /* of a candidate, in bytes */
	bool (*is_better)(const void *a, const void *b);
	bool (*is_same)(const void *a, const void *b); /* NULL: no candidate comes twice */
	/* called for each candidate that is no longer needed; or NULL */
	void (*drop)(void *candidate);
	VEC(struct site_group) items;
	struct map numbers; /* key to position in items */
};

void site_groups_free(struct site_groups *groups);

/* The group with this key; created if there is none. Valid until the next call. */
struct site_group *site_groups_find(struct site_groups *groups, const struct analysis *analysis,
				    uint64_t key);

/*
 * Stores a copy of the candidate in the group if it is among the best. Returns the copy, or NULL if
 * it is not stored. The caller has already counted the candidate in `total`.
 */
void *site_group_keep(struct site_groups *groups, struct site_group *group, const void *candidate);

/*
 * Asks about the first candidate of each group, then about the second of each, and so on, because
 * most findings show with the first candidate, while in other groups no candidate is possible. Then
 * updates the statistics, and the counts for later windows. `ask` adds the claim, and returns
 * whether it was possible.
 */
void site_groups_ask(struct site_groups *groups, struct analysis *analysis,
		     bool (*ask)(void *context, const void *candidate, uint64_t key),
		     void *context);

/* Returns the number of candidates with this key to ask about: `most`, or fewer. */
uint64_t site_group_query_limit(const struct analysis *analysis, uint64_t key, uint64_t most);

#endif
