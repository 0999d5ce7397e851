/* Future-time formulas on finite words: doc/lattice.md, "ltl". */
#ifndef LOGIC_FUTURE_H
#define LOGIC_FUTURE_H

#include "logic/automaton.h"
#include "logic/form.h"

/*
 * The automaton reads one input symbol per state of a run. Returns false if it has too many states.
 */
bool future_automaton(const struct form *form, struct automaton *automaton, struct err *err);

#endif
