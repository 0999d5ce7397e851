/*
 * Who goes when at one spot that several lanes race for: an interleaving of what they will do to
 * it in which each read sees its value, found by search.
 *
 * For one location and few threads this is not hard: reads of the present value can go at once
 * (they change nothing), so only the order of writes is a choice, and a wrong one shows when a
 * read finds nobody left to write its value. States that led nowhere are not visited twice.
 */
#ifndef ORDER_FEED_PLAN_H
#define ORDER_FEED_PLAN_H

#include "order/feed_spots.h"

struct feed_plan {
	VEC(uint32_t) lanes; /* one for each touch, in order */
	size_t next, end;    /* what is left of it; behind `end` it looked not far enough */
};

/* Room to search in, for many plans. */
struct feed_planner;
struct feed_planner *feed_planner_open(void);
void feed_planner_close(struct feed_planner *planner);

/* False: there is no such order, or none was found soon enough. */
bool feed_plan_make(struct feed_planner *planner, struct feed_plan *plan,
		    const struct feed_spots *spots, uint32_t spot);

#endif
