/* The state of locks along the recorded run: part of the survey. */
#ifndef MONITOR_COMPUTATION_SURVEY_LOCKS_H
#define MONITOR_COMPUTATION_SURVEY_LOCKS_H

#include "monitor/computation/survey.h"

/*
 * Follows the event's lock, if it has one. An operation that doc/prediction.md does not allow
 * freezes the lock, and so does an operation by code that was not recorded.
 */
void survey_locks_see(struct survey *survey, const struct trace_event *event, uint32_t thread);

#endif
