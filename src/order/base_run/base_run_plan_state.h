/* What a planner holds, for the files that it consists of. */
#ifndef ORDER_BASE_RUN_BASE_RUN_PLAN_STATE_H
#define ORDER_BASE_RUN_BASE_RUN_PLAN_STATE_H

#include "order/base_run/base_run_plan.h"

#define PLAN_LANES_MAX 16
#define PLAN_STEPS_MAX 2048 /* of a lane: more than lie between two times of a stream */

struct plan_lane {
	uint32_t number, count, done;
	bool more; /* it goes on behind these */
	struct plan_step steps[PLAN_STEPS_MAX];
	/* the first step from here on that reads what the lane itself did not write last */
	uint32_t foreign[PLAN_STEPS_MAX];
};
_Static_assert(PLAN_LANES_MAX < 32, "lanes are a set of bits");

struct plan_touch {
	uint32_t spot; /* in the planner's spots */
	uint64_t value, bits;
	uint8_t mask;
	bool write, known;
	bool foreign;	 /* a read of what the lane itself did not write last … */
	uint32_t behind; /* … in the step before this one; 0: never */
};

struct plan_spot {
	uint64_t value;
	uint8_t known, mask;
	bool uniform; /* all touches are of the same bytes */
	/* what the lane that is looked through wrote last: the bytes, and in the step before this */
	uint64_t own;
	uint8_t own_mask;
	uint32_t own_step;
};

/* A choice: how long the way was before it, and which lanes were tried. */
struct choice {
	uint32_t tried; /* set of lanes */
	uint32_t length, changes;
	uint32_t last; /* lane that wrote before */
};

/* What a step did to a spot, to be undone. */
struct change {
	uint32_t spot;
	uint8_t known;
	uint64_t value;
};

struct base_run_planner {
	struct plan_lane lanes[PLAN_LANES_MAX];
	uint32_t count;
	VEC(struct plan_touch) touches;
	VEC(struct plan_spot) spots;
	struct map spot_index; /* number of base_run_spots to number + 1 here */
	uint64_t hash;	       /* of what the spots hold */
	uint64_t horizon;      /* the time up to which all lanes' steps are here */
	struct map writers;    /* spot, lane and value: the last step that writes it, + 1 */
	VEC(uint32_t) path;    /* lanes */
	VEC(uint32_t) best;    /* the longest that led nowhere */
	VEC(struct choice) choices;
	VEC(struct change) changes;
	struct map seen;
};

/*
 * Reads that no order explains become writes: somebody whom the recording does not see wrote what they found. True
 * if there were any. For a planner whose search has found nothing, put back to its start.
 */
bool base_run_planner_explain_odd(struct base_run_planner *planner);

#endif
