/*
 * From the pool to one computation: what no monitor sees leaves it where that changes nothing
 * (doc/lattice.md, "Weak causality", `--events relevant`).
 */
#ifndef MONITOR_COMPUTATION_PROJECT_H
#define MONITOR_COMPUTATION_PROJECT_H

#include "monitor/computation/message_pool.h"

struct project_bond {
	uint32_t act, with;
};

/* What a computation owns beside its messages; schedules are made from it. */
struct project {
	const struct message_pool *pool;
	struct arena arena;
	const uint32_t **acts; /* by message: the acts that its parts are */
	uint32_t *first;       /* by column + 1: messages of the columns before … */
	uint32_t *by_column;   /* … and which they are */
	/*
	 * What comes along with an act, by act: a release that has become one with what came before
	 * it, and what an object that was dropped wants in front of it.
	 */
	VEC(struct project_bond) bonds;
};

/* `labels`: by entry of the pool. Fills messages, columns, silent, owned. */
void project_make(const struct message_pool *pool, const uint32_t *labels, struct computation *out);
void project_free(struct computation *computation);

#endif
