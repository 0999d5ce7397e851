/*
 * From labels to letters: the values that a formula's variables have after a step, and which of its
 * atoms are true there. Values are vectors, equal ones have one number.
 *
 * `becomes` is decided here: who writes a variable does not know what it was before.
 */
#ifndef MONITOR_FORMULA_INPUT_SYMBOLS_H
#define MONITOR_FORMULA_INPUT_SYMBOLS_H

#include "base/err.h"
#include "base/intern.h"
#include "monitor/computation/label.h"

struct letter {
	uint32_t values;  /* after the step */
	uint64_t holds;	  /* by atom */
	uint64_t unknown; /* these nobody knows; their bits in `holds` are 0 */
};

struct input_symbols;

/*
 * `atoms`: events and expressions (logic/form.h), at most 64; NULL: one for each event of the property.
 * False: `err` says what cannot be known here at all.
 */
struct input_symbols *input_symbols_open(const struct property_set *set, uint32_t property,
					 const struct labels *labels,
					 const struct spec_expr *const *atoms, size_t count,
					 struct err *err);
void input_symbols_close(struct input_symbols *letters);

/* Before anything happened. */
void input_symbols_first(struct input_symbols *letters, struct letter *first);
void input_symbols_step(struct input_symbols *letters, uint32_t values, uint32_t label,
			struct letter *next);

#endif
