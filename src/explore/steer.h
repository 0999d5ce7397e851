/* From a lead to a plan: the run as it was, but for the rules. */
#ifndef EXPLORE_STEER_H
#define EXPLORE_STEER_H

#include "explore/leads.h"

/* Fills in the runs and rules; policy, options and limits are the caller's. */
void steer_plan(const struct lead *lead, struct plan *plan);

/* The runs, time-outs and spurious wake-ups of a whole run as it was: a plan that repeats it. */
void steer_repeat(const struct outcome *outcome, struct plan *plan);

#endif
