/* Parts of spec_explain: what is behind a property, for people. */
#ifndef SPEC_EXPLAIN_H
#define SPEC_EXPLAIN_H

#include "spec/spec.h"

/* An expression as it was understood, each operator with its parentheses. */
void explain_expr(FILE *out, const struct spec_expr *expr);
void explain_whole(FILE *out, const struct spec_expr *expr); /* without the outermost ones */
void explain_ere(FILE *out, const struct spec_ere *ere);
const char *explain_operator(uint8_t operator); /* enum spec_operator; NULL: it has no sign */

/*
 * The events that a pattern chooses, numbered from 1 as they are written (what `*` repeats is not
 * chosen), and the constraints on them.
 */
void explain_pattern(FILE *out, const struct spec_property *property,
		     const struct spec_formula *formula);

/* A Graphviz graph of the whole file. */
void explain_graph(FILE *out, const struct spec_file *file, spec_drawing *draw);

/* "always", "pattern:", … */
const char *explain_formalism(const struct spec_formula *formula);

/* What `*` does to a pattern: it is chosen by choosing nothing. */
static inline bool explain_is_left_out(const struct spec_pattern *pattern)
{
	return pattern->kind == SPEC_STAR;
}

#endif
