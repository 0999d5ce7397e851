/*
 * Counts what no window shows: pairs of events that a pattern needs in the other order, or at one
 * moment, and that are further apart than a window. The solver is not asked about them. All that is
 * known is that program order does not forbid them. They are counted so that the report can say so.
 */
#ifndef PREDICT_PATTERN_PATTERN_CROSS_WINDOW_H
#define PREDICT_PATTERN_PATTERN_CROSS_WINDOW_H

#include "predict/pattern/pattern_view.h"

/*
 * The number of pairs of an event of the window and an event before it that must follow, for leaves
 * that are neighbours in the form. It is a lower bound: for one event of the window only the last
 * few earlier events are examined.
 */
uint64_t pattern_count_cross_window(const struct pattern_view *view,
				    const struct pattern_form *form);

#endif
