/*
 * Computes which run a lead would make if every thread did the same operations as in the lead's
 * run. So only one of several leads that make the same run is followed, and no lead that makes a
 * run already seen. As in the systematic search, runs are the same if their dependent operations
 * have the same order.
 */
#ifndef EXPLORE_SEARCH_RUN_KEY_H
#define EXPLORE_SEARCH_RUN_KEY_H

#include "explore/search/lead_plan.h"

/* Returns the key of a run that happened. */
uint64_t run_key_of_events(const struct control_event *events, uint32_t count);

/*
 * Returns the key of the run that the plan of this lead will most likely make; 0: too long to
 * compute. Sets `*possible`: can its rules be met, as far as creation, joins and mutexes are
 * concerned?
 */
uint64_t run_key_of_lead(const struct lead *lead, const struct plan *plan, bool *possible);

#endif
