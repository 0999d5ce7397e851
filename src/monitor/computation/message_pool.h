/*
 * All acts that any computation of a run may need, as messages without meaning: the larger computation
 * that those of properties and instances are projections of (project.h). Made once, with one walk of
 * the clocks.
 */
#ifndef MONITOR_COMPUTATION_MESSAGE_POOL_H
#define MONITOR_COMPUTATION_MESSAGE_POOL_H

#include "base/arena.h"
#include "monitor/computation/op_clock.h"
#include "monitor/computation/computation.h"

struct message_pool_entry {
	uint32_t act;
	uint32_t column, position; /* position: among the entries of the column */
	const struct message_need *needs, *fences;
	uint32_t need_count, fence_count;
	uint32_t members, member_count; /* touches of sets that decide something, in `members` */
	const uint32_t *past; /* by column: how many acts come before it, itself counted */
};
struct message_pool_member {
	uint32_t object, set;
	uint8_t role; /* enum run_op_role, OPENS to CLOSES */
	bool lock, shared;
	bool last; /* of its set, all of which is in one column */
};

struct message_pool {
	const struct run_ops *acts;
	struct arena arena;
	VEC(struct message_pool_entry) entries; /* in the recorded order */
	VEC(struct message_pool_member) members;
	uint32_t *entry_of;		     /* by act: entry + 1 */
	uint32_t *column_acts, **run_ops_of; /* by column: its acts */
	uint32_t *column_entries;
	/* sets whose members all are of one column */
	uint32_t *set_column; /* by set: column + 1; MESSAGE_POOL_MANY */
	uint32_t *set_sizes;  /* by set: members among the entries */
	uint8_t *set_closes;  /* by set: it is no lock's, or there is a release */
	uint8_t *object_seen; /* by object: has members among the entries */
};
#define MESSAGE_POOL_MANY UINT32_MAX

struct message_pool_options {
	bool strong;
	bool every; /* all that counts with `--events all`; else what has a meaning, and what decides */
};

void message_pool_make(const struct run_ops *acts, const struct message_pool_options *options,
		       struct message_pool *pool);
void message_pool_free(struct message_pool *pool);

#endif
