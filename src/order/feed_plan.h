/*
 * Who goes when, where several lanes race for memory: an interleaving of what they will do to it
 * in which each read sees its value, found by search.
 *
 * Reads of the present value go at once (they change nothing), so only the order of writes is a
 * choice. A wrong one shows early: when what a lane must see next has nobody left to write it.
 * States that led nowhere are not visited twice. That the question is NP-hard in general (Gibbons
 * and Korach 1997) does not show with few threads that are some thousand accesses apart at most.
 */
#ifndef ORDER_FEED_PLAN_H
#define ORDER_FEED_PLAN_H

#include "order/feed_spots.h"

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

struct feed_plan {
	VEC(struct plan_place) places; /* of the steps, in order */
	size_t next, end; /* what is left of it; behind `end` it looked not far enough */
};

struct feed_planner;
struct feed_planner *feed_planner_open(void);
void feed_planner_close(struct feed_planner *planner);

/* What there is to plan, lane by lane and step by step. False: that is more than it takes. */
void feed_planner_clear(struct feed_planner *planner);
bool feed_planner_add_lane(struct feed_planner *planner, uint32_t lane);
bool feed_planner_add_step(struct feed_planner *planner, const struct plan_step *step,
			   const struct feed_spots *spots, const uint32_t *touches, size_t count);
/* The steps of the last lane, to be bounded. */
struct plan_step *feed_planner_steps(struct feed_planner *planner, uint32_t *count);
/* The lane goes on behind its last step. */
void feed_planner_cut_lane(struct feed_planner *planner);

/* False: there is no such order, and no good part of one. */
bool feed_planner_run(struct feed_planner *planner, struct feed_plan *plan);

#endif
