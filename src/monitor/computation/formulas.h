/* Which formulas of a property src/monitor judges, and how. */
#ifndef MONITOR_COMPUTATION_FORMULAS_H
#define MONITOR_COMPUTATION_FORMULAS_H

#include "spec/tree.h"

/* Is the formula judged on sequences of states, separately for each instance (doc/lattice.md)? */
static inline bool formulas_is_of_states(const struct spec_formula *formula)
{
	return formula->formalism != SPEC_PATTERN && formula->formalism != SPEC_GRAMMAR;
}

static inline bool formulas_has_states(const struct spec_property *property)
{
	for (const struct spec_formula *f = property->formulas; f; f = f->next) {
		if (formulas_is_of_states(f))
			return true;
	}
	return false;
}

/* Does the property have a grammar, which is judged on the words of a view (doc/grammars.md)? */
static inline bool formulas_has_grammar(const struct spec_property *property)
{
	for (const struct spec_formula *f = property->formulas; f; f = f->next) {
		if (f->formalism == SPEC_GRAMMAR)
			return true;
	}
	return false;
}

#endif
