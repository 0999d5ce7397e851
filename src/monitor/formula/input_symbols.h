/*
 * Turns labels into input symbols. An input symbol says which atoms of a formula are true after a
 * step, and which values the formula's variables have there. The values are a vector; equal vectors
 * have one number.
 *
 * `becomes` is decided here, because a label says only what a step writes, not the value before.
 */
#ifndef MONITOR_FORMULA_INPUT_SYMBOLS_H
#define MONITOR_FORMULA_INPUT_SYMBOLS_H

#include "base/err.h"
#include "base/intern.h"
#include "monitor/computation/label.h"

struct input_symbol {
	uint32_t values; /* number of the vector of values after the step */
	uint64_t holds;	 /* bit per atom: the atom is true */
	/* bit per atom: it is unknown whether the atom is true; then its bit in `holds` is 0 */
	uint64_t unknown;
};

struct input_symbols;

/*
 * `atoms`: events and expressions (logic/form.h), at most 64; NULL: one for each event of the
 * property. Returns NULL with `err` set if the atoms cannot be evaluated at all.
 */
struct input_symbols *input_symbols_open(const struct property_set *set, uint32_t property,
					 const struct labels *labels,
					 const struct spec_expr *const *atoms, size_t count,
					 struct err *err);
void input_symbols_close(struct input_symbols *symbols);

/* Sets the symbol of the state before anything has happened. */
void input_symbols_first(struct input_symbols *symbols, struct input_symbol *first);
void input_symbols_step(struct input_symbols *symbols, uint32_t values, uint32_t label,
			struct input_symbol *next);

#endif
