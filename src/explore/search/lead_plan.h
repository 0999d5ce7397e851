/* Makes the plan of a lead: the run in which the lead was found, changed by the lead's rules. */
#ifndef EXPLORE_SEARCH_LEAD_PLAN_H
#define EXPLORE_SEARCH_LEAD_PLAN_H

#include "explore/search/leads.h"
#include "explore/search/thread_set.h"

/*
 * Fills in slices and rules; the caller sets policy, options and limits. With a thread set, only
 * its threads get slices; other threads run when they have to.
 */
void lead_plan_make(const struct lead *lead, const struct thread_set *set, struct plan *plan);

/* Leads whose plans have the same key make the same run. */
uint64_t lead_plan_key(const struct lead *lead, const struct plan *plan);

/*
 * Adds the slices, time-outs and spurious wake-ups of a whole run. The plan then repeats that run.
 */
void lead_plan_repeat(const struct outcome *outcome, struct plan *plan);

#endif
