/* The parts of spec_explain(), which shows how sooth understood a property. */
#ifndef SPEC_EXPLAIN_H
#define SPEC_EXPLAIN_H

#include "spec/spec.h"

/* Prints an expression as it was parsed, with parentheses around each operator and its operands. */
void explain_expr(FILE *out, const struct spec_expr *expr);
/* the same without the outermost parentheses */
void explain_whole(FILE *out, const struct spec_expr *expr);
void explain_ere(FILE *out, const struct spec_ere *ere);
/* Returns the sign of an enum spec_operator, or NULL if the operator has none. */
const char *explain_operator(uint8_t operator);

/*
 * Prints the events that a pattern chooses and the constraints on them. The events are numbered
 * from 1 in the order of the source. Parts under `*` are not chosen.
 */
void explain_pattern(FILE *out, const struct spec_property *property,
		     const struct spec_formula *formula);

/* Prints a Graphviz graph of the whole file. */
void explain_graph(FILE *out, const struct spec_file *file, spec_drawing *draw);

/* Returns the keyword of the formula: "always", "pattern:", … */
const char *explain_formalism(const struct spec_formula *formula);

/* Is this part left out of the chosen events? A part under `*` can always match nothing. */
static inline bool explain_is_left_out(const struct spec_pattern *pattern)
{
	return pattern->kind == SPEC_STAR;
}

#endif
