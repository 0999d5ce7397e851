/*
 * Projects the pool to one computation: operations that no monitor sees leave it where that changes
 * nothing (doc/lattice.md, "Weak causality", `--events relevant`).
 */
#ifndef MONITOR_COMPUTATION_PROJECT_H
#define MONITOR_COMPUTATION_PROJECT_H

#include "monitor/computation/message_pool.h"

struct project_bond {
	uint32_t op, with;
};

/* What a computation owns besides its messages; computation_schedule_run() uses it. */
struct project {
	const struct message_pool *pool;
	struct arena arena;
	const uint32_t **ops; /* by message: the operations of its parts */
	uint32_t *first;      /* by column + 1: number of messages in the columns before; … */
	uint32_t *by_column;  /* … the messages, by column */
	/*
	 * Sorted by `op`: a schedule that has `op` must have `with` too. These are releases that
	 * were merged into an earlier step, and members of sets of dropped objects that must come
	 * before `op`.
	 */
	VEC(struct project_bond) bonds;
};

/* `labels`: by entry of the pool. Fills messages, columns, silent, owned. */
void project_make(const struct message_pool *pool, const uint32_t *labels, struct computation *out);
void project_free(struct computation *computation);

#endif
