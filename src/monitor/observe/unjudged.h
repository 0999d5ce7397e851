/*
 * Formulas that must not be judged, because missing events or values would look like a violation.
 */
#ifndef MONITOR_OBSERVE_UNJUDGED_H
#define MONITOR_OBSERVE_UNJUDGED_H

#include "monitor/computation/label.h"

/*
 * Returns why the formula must not be judged because events that it names may be missing, or NULL.
 * A pattern would only miss matches, but a formula would take a missing event for a violation.
 * Languages and plug-ins are about all events.
 */
const char *unjudged_events(const struct property_events *events,
			    const struct spec_formula *formula);

/*
 * Returns why a variable is unknown that the formula, or `becomes` of one of its events, names, or
 * NULL.
 */
const char *unjudged_variables(const struct labels *labels, const struct spec_property *property,
			       const struct spec_formula *formula);

#endif
