/*
 * Counts what no window shows: pairs of events that are further apart than a window, and that a
 * pattern needs in the opposite order, or next at the same time. The solver is not asked about
 * them; it is only known that program order does not rule them out. They are counted so that the
 * report can say so.
 */
#ifndef PREDICT_PATTERN_PATTERN_CROSS_WINDOW_H
#define PREDICT_PATTERN_PATTERN_CROSS_WINDOW_H

#include "predict/pattern/pattern_view.h"

/*
 * Returns a lower bound of the number of pairs of an event in the window and an event before the
 * window that would have to come later, or be next at the same time. Only leaves that are
 * neighbours in the form are paired, and for each event in the window only the last few earlier
 * events are examined.
 */
uint64_t pattern_count_cross_window(const struct pattern_view *view,
				    const struct pattern_form *form);

#endif
