/*
 * The machine of a grammar for the lattice. Its states are words (grammar/word.h), which are equal
 * if they have the same future. A step copies a word, so its cost grows with the word's attributes.
 */
#ifndef MONITOR_GRAMMAR_GRAMMAR_MACHINE_H
#define MONITOR_GRAMMAR_GRAMMAR_MACHINE_H

#include "grammar/word.h"
#include "monitor/formula/machine.h"

/* Limit for the states. If it is exceeded, the walk fails; it may be repeated with less breadth. */
#define GRAMMAR_MACHINE_STATES 200000u

/* The labels must be those of a view. Returns NULL with `err` set if the grammar cannot be used. */
struct machine *grammar_machine_open(const struct property_set *set, uint32_t property,
				     const struct grammar *grammar, const struct labels *labels,
				     struct err *err);

/* Did a step fail because there were too many states, or because their keys were too large? */
bool grammar_machine_is_full(const struct machine *machine);

#endif
