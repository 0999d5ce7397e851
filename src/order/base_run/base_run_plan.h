/*
 * Finds an order where several threads race for memory: an interleaving of the accesses held back
 * in which each read sees its value, found by backtracking search.
 *
 * Reads of the present value go at once, because they change nothing. So only the order of writes
 * is a choice. A wrong choice shows early: when no write is left for a value that a thread must
 * read next. States that led nowhere are not visited twice. The problem is NP-hard in general
 * (Gibbons and Korach 1997), but easy with few threads that are at most some thousand accesses
 * apart.
 */
#ifndef ORDER_BASE_RUN_BASE_RUN_PLAN_H
#define ORDER_BASE_RUN_BASE_RUN_PLAN_H

#include "order/base_run/base_run_memory.h"

/* An event that accesses spots which other threads access, too. Its accesses happen at once. */
struct plan_step {
	uint64_t position, time;
	uint64_t until; /* it happened before that time */
	/* position + 1 of the owner's last synchronisation up to and including it, or 0 */
	uint64_t after_sync;
	uint64_t before_sync;  /* position + 1 of the owner's next synchronisation, or UINT64_MAX */
	uint32_t first, count; /* in the planner's accesses */
};

struct plan_entry {
	uint32_t owner;
	uint64_t position;
};

struct base_run_plan {
	VEC(struct plan_entry) entries; /* the steps, in order */
	/* the part that is to be followed; after `end` the search did not look far enough ahead */
	size_t next, end;
};

struct base_run_planner;
struct base_run_planner *base_run_planner_open(void);
void base_run_planner_close(struct base_run_planner *planner);

/* Define what there is to plan, owner by owner, step by step. Return false if that is too much. */
void base_run_planner_clear(struct base_run_planner *planner);
bool base_run_planner_add_stream(struct base_run_planner *planner, uint32_t owner);
bool base_run_planner_add_step(struct base_run_planner *planner, const struct plan_step *step,
			       const struct base_run_memory *memory, const uint32_t *accesses,
			       size_t count);
/* Returns the steps of the last owner, for their bounds to be filled in. */
struct plan_step *base_run_planner_steps(struct base_run_planner *planner, uint32_t *count);
/* Says that the owner has more steps than were added. */
void base_run_planner_cut_stream(struct base_run_planner *planner);

/* Returns false if no such order was found, nor a useful part of one. */
bool base_run_planner_run(struct base_run_planner *planner, struct base_run_plan *plan);

#endif
