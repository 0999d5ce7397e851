/* The value of every subformula at each state of a run, for the report. */
#ifndef MONITOR_FORMULA_SUBFORMULAS_H
#define MONITOR_FORMULA_SUBFORMULAS_H

#include "base/err.h"
#include "monitor/computation/label.h"

enum subformulas_value {
	SUBFORMULAS_FALSE,
	SUBFORMULAS_TRUE,
	SUBFORMULAS_OPEN, /* the rest of the run decides, or something is unknown */
};

struct subformulas {
	/* one for each subformula; operands come first, the whole formula last */
	VEC(char *) texts;
	/* number of steps + 1: the first state is the one before anything happened */
	size_t states;
	uint8_t *values; /* by subformula and state: use subformulas_at() */
};

/*
 * Evaluates the subformulas on a word: the labels of the steps that the property sees. For
 * `always`, `never` and `ltl:` these are all subformulas that are not constants; for `never` the
 * last one is the forbidden condition. For `ere:` there is one row for the whole expression: false
 * as soon as no continuation is in the language, true as soon as all are. A plug-in has none.
 * `ended`: the run ends after the last step.
 */
bool subformulas_read(const struct property_set *set, uint32_t property,
		      const struct spec_formula *formula, const struct labels *labels,
		      const uint32_t *word, size_t count, bool ended, struct subformulas *out,
		      struct err *err);
void subformulas_free(struct subformulas *subformulas);

static inline enum subformulas_value subformulas_at(const struct subformulas *s, size_t subformula,
						    size_t state)
{
	return s->values[subformula * s->states + state];
}

#endif
