/*
 * Which uses could come behind the end of a life: candidates for lifetime.c (doc/prediction.md, Use of
 * what is over).
 *
 * A use is a candidate for an end by another thread unless the end leans on it (must_precede.h), as far as
 * that can be said without lives: a join, the last reference of a counter. That both are done under
 * one lock excludes nothing: the end may be inside, and the use next.
 */
#ifndef PREDICT_LIFETIME_LIFETIME_PAIRS_H
#define PREDICT_LIFETIME_LIFETIME_PAIRS_H

#include "base/map.h"
#include "predict/driver/analysis.h"
#include "predict/lifetime/lifetime_early_end.h"
#include "predict/driver/must_precede.h"
#include "predict/driver/site_pool.h"

struct lifetime_pair {
	uint32_t end, use;	  /* nodes */
	enum event_misuse misuse; /* NONE: use after free */
	bool behind; /* recorded behind the end, and in one place nothing began since */
};

struct lifetime_pool {
	struct site_group pool;
	VEC(struct lifetime_pair) pairs; /* some of them, nearest first */
};

struct lifetime_pairs {
	struct analysis *analysis;
	const struct window *window;
	struct must_precede needs; /* of the window without lives */
	VEC(struct lifetime_pool) pools;
	struct map pool_numbers;
	uint32_t *met; /* by node: the end it was last put together with, + 1 */
};

/* Is there anything to ask about at all? Most windows have nothing. */
bool lifetime_pairs_exist(const struct window *window);

void lifetime_pairs_open(struct lifetime_pairs *pairs, struct analysis *analysis,
			 const struct lifetime_early_end *early);
void lifetime_pairs_close(struct lifetime_pairs *pairs);

/* Fills `pools`; those whose key is known are `found` and have no pairs. */
void lifetime_pairs_pool(struct lifetime_pairs *pairs, const struct lifetime_early_end *early);

/* Each candidate, once. */
void lifetime_pairs_each(struct lifetime_pairs *pairs, const struct lifetime_early_end *early,
			 void (*take)(void *context, const struct lifetime_pair *pair),
			 void *context);

#endif
