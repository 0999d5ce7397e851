/*
 * Candidates for uses after the end of a lifetime, for lifetime.c (doc/prediction.md, Use after the
 * end of a lifetime).
 *
 * A use is a candidate for an end by another thread unless something other than a lifetime demands
 * that it comes before the end (must_precede.h): a join, for example, or a reference counter that
 * the end has read. A lock that both threads hold excludes nothing: the end may be inside, and the
 * use next.
 */
#ifndef PREDICT_LIFETIME_LIFETIME_PAIRS_H
#define PREDICT_LIFETIME_LIFETIME_PAIRS_H

#include "base/map.h"
#include "predict/driver/analysis.h"
#include "predict/lifetime/lifetime_early_end.h"
#include "predict/driver/must_precede.h"
#include "predict/driver/site_group.h"

struct lifetime_pair {
	uint32_t end, use;	  /* nodes */
	enum event_misuse misuse; /* EVENT_MISUSE_NONE: use after free */
	/* the use was recorded after the end, and no lifetime began in between where both touch */
	bool recorded_after;
};

struct lifetime_pairs {
	struct analysis *analysis;
	const struct window *window;
	struct must_precede must_precede; /* of the window without the edges of lifetimes */
	struct site_groups by_sites;	  /* of struct lifetime_pair */
	uint32_t *met;			  /* by node: the end with which it was last paired, + 1 */
};

/* Does any lifetime end in the window? In most windows none does. */
bool lifetime_pairs_exist(const struct window *window);

void lifetime_pairs_open(struct lifetime_pairs *pairs, struct analysis *analysis,
			 const struct lifetime_early_end *early);
void lifetime_pairs_close(struct lifetime_pairs *pairs);

/* Fills `by_sites`. Groups that have a finding already keep no pairs. */
void lifetime_pairs_collect(struct lifetime_pairs *pairs, const struct lifetime_early_end *early);

/* Calls `take` once for each candidate. */
void lifetime_pairs_each(struct lifetime_pairs *pairs, const struct lifetime_early_end *early,
			 void (*take)(void *context, const struct lifetime_pair *pair),
			 void *context);

#endif
