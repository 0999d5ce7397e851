/* Locks along the recorded run: part of the survey. */
#ifndef MONITOR_COMPUTATION_SURVEY_LOCKS_H
#define MONITOR_COMPUTATION_SURVEY_LOCKS_H

#include "monitor/computation/survey.h"

/*
 * Follows the lock that the event is about, if there is one. What the rules of doc/prediction.md do
 * not allow freezes it, and so does code that was not recorded.
 */
void survey_locks_see(struct survey *survey, const struct trace_event *event, uint32_t lane);

#endif
