/* The value of every subformula at each state of a run, for people. */
#ifndef MONITOR_FORMULA_SUBFORMULAS_H
#define MONITOR_FORMULA_SUBFORMULAS_H

#include "base/err.h"
#include "monitor/computation/label.h"

enum subformulas_value {
	SUBFORMULAS_FALSE,
	SUBFORMULAS_TRUE,
	SUBFORMULAS_OPEN, /* what comes decides, or something that is not known */
};

struct subformulas {
	VEC(char *) texts; /* one for each, parts before wholes; the formula itself is last */
	size_t states;	   /* one more than steps: the first is before anything happened */
	uint8_t *values;   /* by subformula and state: subformulas_at */
};

/*
 * Of `always`, `never` and `ltl:`, all that is no constant; what `never` forbids is the last one. Of
 * `ere:` the whole: false as soon as no continuation is in the language, true as soon as all are. A
 * plug-in has none. `word`: labels of the steps that the property sees. `ended`: nothing follows.
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
