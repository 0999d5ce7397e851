/*
 * What no window shows: pairs of events that a pattern wants in the other order, or at one moment,
 * and that lie farther apart than a window. Not asked about, so nothing is known of them but that
 * one thread's order does not forbid them; counted, so that it can be said.
 */
#ifndef PREDICT_PATTERN_PATTERN_CROSS_WINDOW_H
#define PREDICT_PATTERN_PATTERN_CROSS_WINDOW_H

#include "predict/pattern/pattern_events.h"

/*
 * With an event of the window in front and one of the past that must follow it, neighbours in the
 * form: at least so many. (Of one event of the window the last few of the past are looked at.)
 */
uint64_t pattern_count_apart(const struct scene *scene, const struct pattern_form *form);

#endif
