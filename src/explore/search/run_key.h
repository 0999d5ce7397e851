/*
 * Computes the run that a lead would lead to if every thread did what it did in the lead's run.
 * Leads that would make the same run are then followed once, and none that would make a run already
 * seen. Runs are distinguished as in the systematic search: by the order of dependent operations.
 */
#ifndef EXPLORE_SEARCH_RUN_KEY_H
#define EXPLORE_SEARCH_RUN_KEY_H

#include "explore/search/lead_plan.h"

/* The key of a run that happened. */
uint64_t run_key_of_events(const struct control_event *events, uint32_t count);

/*
 * The key of the run that the plan of this lead will most likely make; 0: too long to compute.
 * `*possible`: its rules can be met, as far as creation, joins and mutexes go.
 */
uint64_t run_key_of_lead(const struct lead *lead, const struct plan *plan, bool *possible);

#endif
