/* Finds formulas that must not be judged, because events or values are missing (unjudged.h). */
#include "monitor/observe/unjudged.h"

#include <string.h>

static bool has_event(const struct spec_expr *e, uint32_t event)
{
	for (; e; e = e->next) {
		if ((e->operator== SPEC_EVENT && e->event == event) || has_event(e->left, event) ||
		    has_event(e->right, event) || has_event(e->third, event))
			return true;
	}
	return false;
}

const char *unjudged_events(const struct property_events *events,
			    const struct spec_formula *formula)
{
	bool doubtful = !formula->expr && events->doubtful.count;

	for (size_t i = 0; i < events->doubtful.count; i++)
		doubtful |= has_event(formula->expr, events->doubtful.items[i]);
	/* A set of events that happen at once has 64 bits, in the checker too. */
	if (formula->formalism != SPEC_MONITOR && events->property->event_count > 64)
		return "the property has more than 64 events";
	return doubtful ? "a missing event would look like a violation" : NULL;
}

/* Returns why a variable in the expression is unknown, or NULL. */
static const char *unknown_in(const struct labels *labels, const struct spec_expr *e)
{
	const char *why = NULL;
	char name[512];

	for (; e && !why; e = e->next) {
		bool is_name = spec_variable_name(e, name, sizeof name);

		for (size_t i = 0; is_name && i < labels->variables.count; i++) {
			const struct label_variable *v = &labels->variables.items[i];

			if (!v->known && !strcmp(v->name, name))
				why = v->why;
		}
		if (!why)
			why = unknown_in(labels, e->left);
		if (!why)
			why = unknown_in(labels, e->right);
		if (!why)
			why = unknown_in(labels, e->third);
	}
	return why;
}

const char *unjudged_variables(const struct labels *labels, const struct spec_property *property,
			       const struct spec_formula *formula)
{
	const char *why = unknown_in(labels, formula->expr);

	for (uint32_t i = 0; i < property->event_count && !why; i++) {
		if (formula->expr && !has_event(formula->expr, i))
			continue;
		for (const struct spec_point *p = property->events[i].points; p && !why;
		     p = p->next)
			why = unknown_in(labels, p->becomes);
	}
	return why;
}
