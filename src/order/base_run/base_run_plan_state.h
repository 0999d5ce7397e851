/* The planner's state, private to base_run_plan.c and base_run_unexplained.c. */
#ifndef ORDER_BASE_RUN_BASE_RUN_PLAN_STATE_H
#define ORDER_BASE_RUN_BASE_RUN_PLAN_STATE_H

#include "order/base_run/base_run_plan.h"

#define PLAN_STREAMS_MAX 16
#define PLAN_STEPS_MAX 2048 /* steps of one owner; between two times of a stream there are fewer */

struct plan_stream {
	uint32_t number, count, done;
	bool more; /* the owner has more steps than were added */
	struct plan_step steps[PLAN_STEPS_MAX];
	/* by step: the first step from this one on that has a `foreign` read, or SPOT_NONE */
	uint32_t foreign[PLAN_STEPS_MAX];
};
_Static_assert(PLAN_STREAMS_MAX < 32, "streams are a set of bits");

struct plan_access {
	uint32_t spot; /* index in the planner's `spots` */
	uint64_t value, bits;
	uint8_t mask;
	bool write, known;
	bool foreign; /* a read of a value that the owner's own last write does not explain */
	/* for a foreign read: step + 1 of the owner's last write to the spot before it; 0: none */
	uint32_t own_write;
};

struct plan_spot {
	uint64_t value;
	uint8_t known, mask;
	bool uniform; /* all accesses have the same mask */
	/* scratch for find_foreign_reads(), the owner's last write: value, mask, step + 1 */
	uint64_t own;
	uint8_t own_mask;
	uint32_t own_step;
};

/* A point of the search at which several owners can be next. */
struct plan_choice {
	uint32_t tried;		  /* set of the owners that were tried */
	uint32_t length, changes; /* lengths of `path` and `changes` before the choice */
	uint32_t last; /* the owner that was chosen at the choice before this one, or SPOT_NONE */
};

/* A spot's contents before a step, to undo the step. */
struct plan_change {
	uint32_t spot;
	uint8_t known;
	uint64_t value;
};

struct base_run_planner {
	struct plan_stream streams[PLAN_STREAMS_MAX];
	uint32_t count;
	VEC(struct plan_access) accesses;
	VEC(struct plan_spot) spots;
	struct map spot_index; /* number in base_run_memory to number + 1 here */
	uint64_t hash;	       /* hash of the contents of all spots */
	uint64_t horizon;      /* the time up to which the steps of all owners are known */
	struct map writers;    /* spot, owner and value: the last step that writes it, + 1 */
	VEC(uint32_t) path;    /* the owner of each step done so far */
	VEC(uint32_t) best;    /* a longest path that led nowhere */
	VEC(struct plan_choice) choices;
	VEC(struct plan_change) changes;
	struct map seen;
};

/*
 * Turns reads that no order explains into writes of the values that they found, as if unrecorded
 * code had written these values. Returns true if there were any. Call it after a search that found
 * nothing, when all steps have been undone.
 */
bool base_run_planner_add_unseen_writes(struct base_run_planner *planner);

#endif
