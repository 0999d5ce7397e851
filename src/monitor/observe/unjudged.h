/*
 * Formulas that must not be judged, because missing events or values would look like a violation.
 */
#ifndef MONITOR_OBSERVE_UNJUDGED_H
#define MONITOR_OBSERVE_UNJUDGED_H

#include "monitor/computation/label.h"

/*
 * Returns why the formula must not be judged because events that it names may be missing, or NULL.
 * A missing event would only make a pattern miss matches, but a formula would take it for a
 * violation. Languages and plug-ins depend on all events of the property.
 */
const char *unjudged_events(const struct property_events *events,
			    const struct spec_formula *formula);

/*
 * Returns why a variable is unknown, or NULL. Considers the variables that the formula names, and
 * those that `becomes` of its events names.
 */
const char *unjudged_variables(const struct labels *labels, const struct spec_property *property,
			       const struct spec_formula *formula);

#endif
