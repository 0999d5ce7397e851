/*
 * Decides whether a formula's verdict can change if a state in which nothing happens is inserted
 * after a step. It cannot change if the minimal automaton has this property: after any input
 * symbol, the same symbol without its events does not leave the state. Then such states may be
 * inserted anywhere, and the machine needs no machine_with_fences(), which makes the walk cheaper.
 */
#include "logic/future.h"
#include "logic/past.h"
#include "monitor/formula/machine.h"

#define MOST_ATOMS 10u

static bool build_automaton(const struct spec_formula *formula, struct form *form,
			    struct automaton *a)
{
	struct err err;
	struct past past;
	bool built;

	if (form->atoms.count > MOST_ATOMS)
		return false;
	if (formula->formalism == SPEC_LTL)
		return future_automaton(form, a, &err);
	if (!past_open(&past, form, &err))
		return false;
	built = past_automaton(&past, a, &err);
	past_close(&past);
	return built;
}

static bool ignores_idle_states(const struct automaton *a, const struct form *form)
{
	uint64_t values = 0; /* atoms that keep their value when nothing happens */

	for (size_t i = 0; i < form->atoms.count; i++)
		if (form->atoms.items[i]->operator!= SPEC_EVENT)
			values |= 1ull << i;
	for (uint32_t state = 0; state < a->states.count; state++)
		for (uint64_t symbol = 0; symbol < 1ull << form->atoms.count; symbol++) {
			uint32_t to = automaton_step(a, state, symbol);

			if (automaton_step(a, to, symbol & values) != to)
				return false;
		}
	return true;
}

bool machine_needs_fences(const struct spec_formula *formula)
{
	struct form form;
	struct automaton automaton;
	struct err err;
	bool indifferent;

	if (formula->formalism != SPEC_TEMPORAL && formula->formalism != SPEC_LTL)
		return false; /* these formulas never see such a state */
	if (!form_read(&form, formula, &err))
		return true;
	indifferent = build_automaton(formula, &form, &automaton);
	if (indifferent) {
		indifferent = ignores_idle_states(&automaton, &form);
		automaton_free(&automaton);
	}
	form_free(&form);
	return !indifferent;
}
