/*
 * Can a state in which nothing happens, put in behind a step, change what a formula says? It cannot if
 * in the smallest automaton each state that a letter leads to is left as it is by the same letter
 * without its events: then it can be put in anywhere, and the walk is cheaper without looking.
 */
#include "logic/future.h"
#include "logic/past.h"
#include "monitor/formula/machine.h"

#define MOST_ATOMS 10u

static bool build(const struct spec_formula *formula, struct form *form, struct automaton *a)
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

static bool is_indifferent(const struct automaton *a, const struct form *form)
{
	uint64_t values = 0; /* atoms that stay as they are when nothing happens */

	for (size_t i = 0; i < form->atoms.count; i++)
		if (form->atoms.items[i]->operator!= SPEC_EVENT)
			values |= 1ull << i;
	for (uint32_t state = 0; state < a->states.count; state++)
		for (uint64_t letter = 0; letter < 1ull << form->atoms.count; letter++) {
			uint32_t to = automaton_step(a, state, letter);

			if (automaton_step(a, to, letter & values) != to)
				return false;
		}
	return true;
}

bool machine_minds_neighbours(const struct spec_formula *formula)
{
	struct form form;
	struct automaton automaton;
	struct err err;
	bool indifferent;

	if (formula->formalism != SPEC_TEMPORAL && formula->formalism != SPEC_LTL)
		return false; /* they do not see such a state */
	if (!form_read(&form, formula, &err))
		return true;
	indifferent = build(formula, &form, &automaton);
	if (indifferent) {
		indifferent = is_indifferent(&automaton, &form);
		automaton_free(&automaton);
	}
	form_free(&form);
	return !indifferent;
}
