/*
 * A monitor ⟨M, m0, b, ρ⟩ of paper 000, definition 1. The machine numbers its states from 0 in the
 * order in which they are found. Repeating a step gives the same result. A run that has reached a
 * bad state stays bad: no step is made from such a state. The first state may already be bad, since
 * a formula is also evaluated before anything has happened. Only one thread at a time may use a
 * machine.
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
	 * Appends the successors: one, unless the machine is nondeterministic. `label` is not
	 * LABEL_SILENT and is one of the labels that the machine was made for. Returns false with
	 * `err` set if there are too many states.
	 */
	bool (*step)(void *self, uint32_t state, uint32_t label, machine_states *next,
		     struct err *err);
	bool (*is_bad)(void *self, uint32_t state);
	/* Is the formula violated if a complete run ends in this state? */
	bool (*is_bad_at_end)(void *self, uint32_t state);
	/*
	 * Can nothing bad follow, not even at the end? Then the state needs no more steps. May be
	 * NULL.
	 */
	bool (*is_safe)(void *self, uint32_t state);
	void (*free)(void *self);
	/*
	 * Returns a text about an unknown value that would have decided a step, or NULL if there
	 * was none. From such a step on the machine claims nothing about the run. May be NULL. The
	 * text is valid until the machine is freed.
	 */
	const char *(*doubt)(void *self);
};

/*
 * Limit for the states of a machine. The automaton of a formula has at most AUTOMATON_STATES states
 * (logic/automaton.h). Each can occur with several values of the formula's variables, as far as the
 * formula's conditions distinguish them.
 */
#define MACHINE_STATES 1000000u

/*
 * Makes the machine of a formula that is neither a pattern nor a grammar, over the labels of its
 * property. Returns NULL with `err` set if that fails (too many states, a plug-in that cannot be
 * loaded, …). `directory`: the directory of the property file, for plug-ins.
 */
struct machine *machine_of_formula(const struct property_set *set, uint32_t property,
				   const struct spec_formula *formula, const struct labels *labels,
				   const char *directory, struct err *err);

/*
 * Can the formula's verdict depend on which step comes right before another (prev, start, next, …
 * of events)? Then, under `all`, its machine must be used with machine_with_fences().
 */
bool machine_needs_fences(const struct spec_formula *formula);
/*
 * Makes a machine around `inner`, under `all`: it inserts a state in which nothing happens where
 * `fences` require one (doc/lattice.md, "States and words"). To know where, its states include what
 * matters of the last step's message. Its labels are indices of messages, + 1. `messages` must
 * outlive the new machine. Freeing the new machine frees `inner` too.
 */
struct machine *machine_with_fences(struct machine *inner, const struct message *messages,
				    size_t count);

void machine_close(struct machine *machine);

#endif
