/*
 * A monitor ⟨M, m0, b, ρ⟩ of paper 000, definition 1. States are numbers that the machine gives out as
 * they are found, from 0 on; a machine that is asked the same again answers the same. What is bad
 * stays bad: nobody steps from a bad state. The first state may be bad already: a formula is asked
 * before anything has happened, too. One thread at a time asks a machine.
 */
#ifndef MONITOR_FORMULA_MACHINE_H
#define MONITOR_FORMULA_MACHINE_H

#include "base/err.h"
#include "base/vec.h"
#include "monitor/computation/label.h"
#include "monitor/computation/message.h"
#include "spec/spec.h"

typedef VEC(uint32_t) machine_states;

struct machine {
	void *self;
	uint32_t (*initial)(void *self);
	/*
	 * Appends the successors: one, unless the machine is not deterministic. `label` is neither
	 * SILENT nor beyond the labels it was made for. False: too many states; `err` says so.
	 */
	bool (*step)(void *self, uint32_t state, uint32_t label, machine_states *next,
		     struct err *err);
	bool (*is_bad)(void *self, uint32_t state);
	/* Violated if a complete run ends in this state. */
	bool (*is_bad_at_end)(void *self, uint32_t state);
	/* No continuation is bad, not even at an end: nothing needs to be stepped any more. May be NULL. */
	bool (*is_safe)(void *self, uint32_t state);
	void (*free)(void *self);
	/*
	 * What was not known and would have mattered, in words, or NULL: from there on nothing is
	 * claimed. May be NULL. Good until the machine is freed.
	 */
	const char *(*doubt)(void *self);
};

/*
 * A formula's own states are at most AUTOMATON_STATES (logic/automaton.h); these are times the values
 * that its variables have, as far as its conditions can tell them apart.
 */
#define MACHINE_STATES 1000000u

/*
 * The machine of a formula that is no pattern and no grammar, over the labels of its property. NULL:
 * `err` says why there is none (too many states, a plug-in that cannot be loaded …). `directory`: where
 * the property file is, for plug-ins.
 */
struct machine *machine_of_formula(const struct property_set *set, uint32_t property,
				   const struct spec_formula *formula, const struct labels *labels,
				   const char *directory, struct err *err);

/* Does it matter which step comes right before which (prev, start, next … of events)? */
bool machine_minds_neighbours(const struct spec_formula *formula);
/*
 * A machine around such a one, under `all`: its states know the message that was stepped on last, so
 * that a state in which nothing happens is put in where `fences` want one (doc/lattice.md, "States and
 * words"). Its labels are numbers of messages, + 1, which must stay. Both machines are freed with it.
 */
struct machine *machine_with_fences(struct machine *inner, const struct message *messages,
				    size_t count);

void machine_close(struct machine *machine);

#endif
