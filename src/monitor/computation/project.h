/*
 * Projects the pool to one computation: removes operations that no monitor sees, where that changes
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
	uint32_t *first; /* by column: index of its first message in `by_column`; one extra entry */
	uint32_t *by_column; /* indices of messages, sorted by column and position */
	/*
	 * Sorted by `op`: a schedule that contains `op` must also contain `with`. A bond is made
	 * for a release that was merged into an earlier step, and for a member of a dropped
	 * object's set that must come before `op`.
	 */
	VEC(struct project_bond) bonds;
};

/*
 * `labels`: by entry of the pool. Sets `messages`, `columns`, `silent` and `owned` of the
 * computation.
 */
void project_make(const struct message_pool *pool, const uint32_t *labels, struct computation *out);
void project_free(struct computation *computation);

#endif
