/*
 * Past-time formulas (Havelund and Rosu, "Synthesizing monitors for safety properties"): one bit
 * for each subformula whose value in the previous state is needed, and one pass over the formula
 * per state. `once p` and `prev once p` share a bit, as do `prev p` and `start(p)`.
 */
#ifndef LOGIC_PAST_H
#define LOGIC_PAST_H

#include "logic/automaton.h"
#include "logic/form.h"

struct past {
	const struct form *form;
	VEC(uint32_t) remembered; /* by bit: the node whose value it holds */
	uint32_t *bit;		  /* by node: the bit that it needs, or FORM_NONE */
};

/* Returns false if more than 64 bits are needed. The form still belongs to the caller. */
bool past_open(struct past *past, const struct form *form, struct err *err);
void past_close(struct past *past);

/*
 * Evaluates the formula in the next state of a word. `bits` holds the bits of the previous state
 * and is updated; its old value is ignored in the `first` state. The value of each node goes to
 * `values`, unless that is NULL. Returns whether the formula holds.
 */
bool past_step(const struct past *past, bool first, uint64_t symbol, uint64_t *bits, bool *values);

/* Makes an automaton that accepts as long as the formula has held in every state. */
bool past_automaton(const struct past *past, struct automaton *automaton, struct err *err);

#endif
