/*
 * Extended regular expressions over sets of events. An input symbol has a bit for each event of the
 * property; a name in the expression matches every symbol that has its bit, and `.` matches any. A
 * symbol has at least one event: without events the automaton stays where it is.
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
