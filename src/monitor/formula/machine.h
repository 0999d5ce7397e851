/*
 * A monitor ⟨M, m0, b, ρ⟩ of paper 000, definition 1. The machine numbers its states from 0 in the
 * order in which they are found. Repeating a step gives the same result. A bad state stays bad: no
 * step is made from it. The first state may already be bad, since a formula is also evaluated
 * before anything has happened. Only one thread at a time may use a machine.
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
	 * Can nothing bad follow, not even at the end? Then no more steps are needed. May be NULL.
	 */
	bool (*is_safe)(void *self, uint32_t state);
	void (*free)(void *self);
	/*
	 * Returns what was unknown and would have decided, as text, or NULL. From there on the
	 * machine claims nothing. May be NULL. The text is valid until the machine is freed.
	 */
	const char *(*doubt)(void *self);
};

/*
 * Most states of a machine. A formula's own states are at most AUTOMATON_STATES
 * (logic/automaton.h); they are multiplied by the values of its variables, as far as its conditions
 * distinguish them.
 */
#define MACHINE_STATES 1000000u

/*
 * Makes the machine of a formula that is neither a pattern nor a grammar, over the labels of its
 * property. Returns NULL with `err` set if that fails (too many states, a plug-in that cannot be
 * loaded, …). `directory`: where the property file is, for plug-ins.
 */
struct machine *machine_of_formula(const struct property_set *set, uint32_t property,
				   const struct spec_formula *formula, const struct labels *labels,
				   const char *directory, struct err *err);

/* Does it matter which step comes right before which (prev, start, next, … of events)? */
bool machine_needs_fences(const struct spec_formula *formula);
/*
 * Makes a machine around such a one, under `all`: its states include the message of the last step,
 * so that a state in which nothing happens is inserted where `fences` require one (doc/lattice.md,
 * "States and words"). Its labels are indices of messages, + 1. `messages` must outlive it. Freeing
 * it frees `inner` too.
 */
struct machine *machine_with_fences(struct machine *inner, const struct message *messages,
				    size_t count);

void machine_close(struct machine *machine);

#endif
