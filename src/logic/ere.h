/*
 * Automata of extended regular expressions. An input symbol is a set of events of the property, one
 * bit each. A name in the expression matches every symbol that has its bit, and `.` matches every
 * symbol. A symbol without events is not part of a word: the automaton stays in its state.
 */
#ifndef LOGIC_ERE_H
#define LOGIC_ERE_H

#include "logic/automaton.h"
#include "spec/tree.h"

/*
 * `events`: number of events of the property. Returns false if there are more than 64, or too many
 * states.
 */
bool ere_automaton(const struct spec_ere *ere, uint32_t events, struct automaton *automaton,
		   struct err *err);

#endif
