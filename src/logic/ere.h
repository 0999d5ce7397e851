/*
 * Extended regular expressions over sets of events: a letter has a bit for each event of the property,
 * a symbol fits each letter that has its bit, `.` fits any. A letter has at least one event: with none
 * the automaton stays where it is.
 */
#ifndef LOGIC_ERE_H
#define LOGIC_ERE_H

#include "logic/automaton.h"
#include "spec/tree.h"

/* `events`: of the property. False: more than 64 of them, or too many states. */
bool ere_automaton(const struct spec_ere *ere, uint32_t events, struct automaton *automaton,
		   struct err *err);

#endif
