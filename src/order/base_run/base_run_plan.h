/*
 * Who goes when, where several lanes race for memory: an interleaving of what they will do to it
 * in which each read sees its value, found by search.
 *
 * Reads of the present value go at once (they change nothing), so only the order of writes is a
 * choice. A wrong one shows early: when what a lane must see next has nobody left to write it.
 * States that led nowhere are not visited twice. That the question is NP-hard in general (Gibbons
 * and Korach 1997) does not show with few threads that are some thousand accesses apart at most.
 */
#ifndef ORDER_BASE_RUN_BASE_RUN_PLAN_H
#define ORDER_BASE_RUN_BASE_RUN_PLAN_H

#include "order/base_run/base_run_cells.h"

/* An event that touches spots that others touch, too: all of its touches come at once. */
struct plan_step {
	uint64_t position, time;
	uint64_t until;	 /* it came before that time */
	uint64_t behind; /* position + 1 of the last synchronisation up to and with it, or 0 */
	uint64_t before; /* position + 1 of the next one in its lane, or UINT64_MAX */
	uint32_t first, count; /* in the planner's touches */
};

struct plan_place {
	uint32_t lane;
	uint64_t position;
};

struct base_run_plan {
	VEC(struct plan_place) places; /* of the steps, in order */
	size_t next, end; /* what is left of it; behind `end` it looked not far enough */
};

struct base_run_planner;
struct base_run_planner *base_run_planner_open(void);
void base_run_planner_close(struct base_run_planner *planner);

/* What there is to plan, lane by lane and step by step. False: that is more than it takes. */
void base_run_planner_clear(struct base_run_planner *planner);
bool base_run_planner_add_lane(struct base_run_planner *planner, uint32_t lane);
bool base_run_planner_add_step(struct base_run_planner *planner, const struct plan_step *step,
			       const struct base_run_cells *spots, const uint32_t *touches,
			       size_t count);
/* The steps of the last lane, to be bounded. */
struct plan_step *base_run_planner_steps(struct base_run_planner *planner, uint32_t *count);
/* The lane goes on behind its last step. */
void base_run_planner_cut_lane(struct base_run_planner *planner);

/* False: there is no such order, and no good part of one. */
bool base_run_planner_run(struct base_run_planner *planner, struct base_run_plan *plan);

#endif
