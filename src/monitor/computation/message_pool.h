/*
 * All operations that any computation of a run may need, as messages without labels. The
 * computations of properties and instances are projections of the pool (project.h). The pool is
 * made once, with one pass of the vector clocks.
 */
#ifndef MONITOR_COMPUTATION_MESSAGE_POOL_H
#define MONITOR_COMPUTATION_MESSAGE_POOL_H

#include "base/arena.h"
#include "monitor/computation/op_clock.h"
#include "monitor/computation/computation.h"

struct message_pool_entry {
	uint32_t op;
	uint32_t column, position; /* position: among the entries of the column */
	const struct message_need *needs, *fences;
	uint32_t need_count, fence_count;
	/* slice of pool->members: touches of objects that decide something */
	uint32_t members, member_count;
	/* by column: how many operations come before this one, including itself */
	const uint32_t *past;
};
struct message_pool_member {
	uint32_t object, set;
	uint8_t role; /* enum run_op_role, OPENS to CLOSES */
	bool lock, shared;
	bool last; /* the last member of a set whose members are all in one column */
};

struct message_pool {
	const struct run_ops *ops;
	struct arena arena;
	VEC(struct message_pool_entry) entries; /* in the recorded order */
	VEC(struct message_pool_member) members;
	uint32_t *entry_of;	    /* by operation: 1 + its entry; 0: none */
	VEC(uint32_t) * column_ops; /* by column: its operations */
	uint32_t *column_entries;
	/* by set: 1 + the column of all its members, or MESSAGE_POOL_MANY */
	uint32_t *set_column;
	uint32_t *set_sizes;  /* by set: number of members among the entries */
	uint8_t *set_closes;  /* by set: it is not a lock's set, or its release was recorded */
	uint8_t *object_seen; /* by object: its sets have members among the entries */
};
#define MESSAGE_POOL_MANY UINT32_MAX

struct message_pool_options {
	bool strong;
	/*
	 * take all operations that count with `--events all`; otherwise only those that are
	 * relevant to a property or decide something
	 */
	bool every;
};

void message_pool_make(const struct run_ops *ops, const struct message_pool_options *options,
		       struct message_pool *pool);
void message_pool_free(struct message_pool *pool);

#endif
