/*
 * Which uses could come behind the end of a life: candidates for freed.c (doc/prediction.md, Use of
 * what is over).
 *
 * A use is a candidate for an end by another thread unless the end leans on it (needs.h), as far as
 * that can be said without lives: a join, the last reference of a counter. That both are done under
 * one lock excludes nothing: the end may be inside, and the use next.
 */
#ifndef PREDICT_FREED_PAIRS_H
#define PREDICT_FREED_PAIRS_H

#include "base/map.h"
#include "predict/analysis.h"
#include "predict/freed_early.h"
#include "predict/needs.h"
#include "predict/pool.h"

struct freed_pair {
	uint32_t end, use;	  /* nodes */
	enum event_misuse misuse; /* NONE: use after free */
	bool behind; /* recorded behind the end, and in one place nothing began since */
};

struct freed_pool {
	struct pool pool;
	VEC(struct freed_pair) pairs; /* some of them, nearest first */
};

struct freed_pairs {
	struct analysis *analysis;
	const struct window *window;
	struct needs needs; /* of the window without lives */
	VEC(struct freed_pool) pools;
	struct map pool_numbers;
	uint32_t *met; /* by node: the end it was last put together with, + 1 */
};

/* Is there anything to ask about at all? Most windows have nothing. */
bool freed_pairs_exist(const struct window *window);

void freed_pairs_open(struct freed_pairs *pairs, struct analysis *analysis,
		      const struct freed_early *early);
void freed_pairs_close(struct freed_pairs *pairs);

/* Fills `pools`; those whose key is known are `found` and have no pairs. */
void freed_pairs_pool(struct freed_pairs *pairs, const struct freed_early *early);

/* Each candidate, once. */
void freed_pairs_each(struct freed_pairs *pairs, const struct freed_early *early,
		      void (*take)(void *context, const struct freed_pair *pair), void *context);

#endif
