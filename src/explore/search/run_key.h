/*
 * What a lead's run would be if every thread did what it did in the run that the lead is of: so that
 * leads which come to the same are followed once, and none to a run that was seen. Runs are told
 * apart as the systematic search does: by the order of operations that depend on each other.
 */
#ifndef EXPLORE_SEARCH_RUN_KEY_H
#define EXPLORE_SEARCH_RUN_KEY_H

#include "explore/search/lead_plan.h"

/* The key of a run that happened. */
uint64_t run_key_key_of(const struct control_event *events, uint32_t count);

/*
 * The key of the run that the plan of this lead will most likely make; 0: too long to say.
 * `*possible`: its rules can be met, as far as creation, joins and mutexes go.
 */
uint64_t run_key_key(const struct lead *lead, const struct plan *plan, bool *possible);

#endif
