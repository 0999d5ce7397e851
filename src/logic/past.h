/*
 * Formulas that look back (Havelund and Rosu, "Synthesizing monitors for safety properties"): a bit
 * for each subformula whose value at the state before is asked for, and one pass over the formula for
 * each state. `once p` and `prev once p` share a bit, as do `prev p` and `start(p)`.
 */
#ifndef LOGIC_PAST_H
#define LOGIC_PAST_H

#include "logic/automaton.h"
#include "logic/form.h"

struct past {
	const struct form *form;
	VEC(uint32_t) remembered; /* by bit: the node whose value it is */
	uint32_t *bit;		  /* by node: which of them it asks, or FORM_NONE */
};

/* False: more than 64 bits. The form stays the caller's. */
bool past_open(struct past *past, const struct form *form, struct err *err);
void past_close(struct past *past);

/*
 * The next state of a word. `bits`: of the state before; at the `first` they are not looked at. The
 * value of each node goes to `values`, if that is not NULL. Does the formula hold?
 */
bool past_step(const struct past *past, bool first, uint64_t letter, uint64_t *bits, bool *values);

/* The same as an automaton: accepts as long as the formula has held at each state. */
bool past_automaton(const struct past *past, struct automaton *automaton, struct err *err);

#endif
