/* Formulas that must not be judged: what is missing would look like a violation. */
#ifndef MONITOR_OBSERVE_UNJUDGED_H
#define MONITOR_OBSERVE_UNJUDGED_H

#include "monitor/computation/label.h"

/*
 * Does it name an event of which some may be missing? A pattern then only misses something; a formula
 * would take what is missing for a violation. Languages and plug-ins are about all events. NULL: none.
 */
const char *unjudged_events(const struct property_events *events,
			    const struct spec_formula *formula);

/* Is there a variable of which nothing is known, in it or in what `becomes` in its events? */
const char *unjudged_variables(const struct labels *labels, const struct spec_property *property,
			       const struct spec_formula *formula);

#endif
