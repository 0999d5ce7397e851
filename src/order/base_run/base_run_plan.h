/*
 * Orders the accesses of threads that race for memory. A backtracking search finds an interleaving
 * of the accesses held back in which each read finds its value.
 *
 * A read of the current value is done immediately, because it changes nothing. So only the order of
 * writes is a choice. A wrong choice is noticed early: no write is left for a value that a thread
 * must read next. States that led nowhere are not visited twice. The problem is NP-hard in general
 * (Gibbons and Korach 1997), but easy with few threads that are at most some thousand accesses
 * apart.
 */
#ifndef ORDER_BASE_RUN_BASE_RUN_PLAN_H
#define ORDER_BASE_RUN_BASE_RUN_PLAN_H

#include "order/base_run/base_run_memory.h"

/* An event that accesses spots which other threads access, too. All its accesses are one step. */
struct plan_step {
	uint64_t position, time;
	uint64_t until; /* the event happened before this time */
	/* position + 1 of the owner's last synchronisation up to and including the event, or 0 */
	uint64_t after_sync;
	uint64_t before_sync;  /* position + 1 of the owner's next synchronisation, or UINT64_MAX */
	uint32_t first, count; /* its accesses: a range of the planner's `accesses` */
};

struct plan_entry {
	uint32_t owner;
	uint64_t position;
};

struct base_run_plan {
	VEC(struct plan_entry) entries; /* the steps, in order */
	/*
	 * The entries to follow. Those from `end` on are not followed, because the search did not
	 * look far enough ahead for them.
	 */
	size_t next, end;
};

struct base_run_planner;
struct base_run_planner *base_run_planner_open(void);
void base_run_planner_close(struct base_run_planner *planner);

/* Add the steps to plan: each owner with all its steps. Return false if there are too many. */
void base_run_planner_clear(struct base_run_planner *planner);
bool base_run_planner_add_stream(struct base_run_planner *planner, uint32_t owner);
bool base_run_planner_add_step(struct base_run_planner *planner, const struct plan_step *step,
			       const struct base_run_memory *memory, const uint32_t *accesses,
			       size_t count);
/* Returns the steps of the last owner, so that the caller can set `until` and `before_sync`. */
struct plan_step *base_run_planner_steps(struct base_run_planner *planner, uint32_t *count);
/* Marks the last owner as having more steps than were added. */
void base_run_planner_cut_stream(struct base_run_planner *planner);

/* Returns false if the search found neither an order nor a useful part of one. */
bool base_run_planner_run(struct base_run_planner *planner, struct base_run_plan *plan);

#endif
