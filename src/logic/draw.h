/* Prints the automata of formulas, as text or as Graphviz. */
#ifndef LOGIC_DRAW_H
#define LOGIC_DRAW_H

#include "spec/spec.h"

/* Automata with more states are not drawn. */
#define DRAW_STATES 64u

/* Implements spec_drawing. */
unsigned draw_formula(FILE *out, const struct spec_file *file, const struct spec_property *property,
		      const struct spec_formula *formula, bool graphviz, unsigned next);

#endif
