/* The parts of spec_explain(): shows how sooth understood a property. */
#ifndef SPEC_EXPLAIN_H
#define SPEC_EXPLAIN_H

#include "spec/spec.h"

/* Prints an expression as it was parsed, each operator with its parentheses. */
void explain_expr(FILE *out, const struct spec_expr *expr);
void explain_whole(FILE *out, const struct spec_expr *expr); /* without the outermost parentheses */
void explain_ere(FILE *out, const struct spec_ere *ere);
/* of an enum spec_operator; NULL if it has no sign */
const char *explain_operator(uint8_t operator);

/*
 * Prints the events that a pattern chooses, numbered from 1 in the order of the source (parts under
 * `*` are not chosen), and the constraints on them.
 */
void explain_pattern(FILE *out, const struct spec_property *property,
		     const struct spec_formula *formula);

/* Prints a Graphviz graph of the whole file. */
void explain_graph(FILE *out, const struct spec_file *file, spec_drawing *draw);

/* "always", "pattern:", … */
const char *explain_formalism(const struct spec_formula *formula);

/* A part under `*` can always be matched by nothing, so no events are chosen for it. */
static inline bool explain_is_left_out(const struct spec_pattern *pattern)
{
	return pattern->kind == SPEC_STAR;
}

#endif
