/* Machines of formulas: feeds input symbols (input_symbols.c) to an automaton of src/logic. */
#include "monitor/formula/machine.h"
#include "base/mem.h"
#include "logic/automaton.h"
#include "logic/ere.h"
#include "logic/form.h"
#include "logic/future.h"
#include "logic/past.h"
#include "monitor/formula/input_symbols.h"
#include "monitor/plugin/plugin.h"

#include <assert.h>
#include <string.h>

enum machine_verdict { OPEN, BAD, SAFE, UNKNOWN };

/*
 * A verdict other than OPEN has a single state, because it does not matter how the run got there.
 */
struct machine_state {
	uint32_t verdict;
	uint32_t values;
	uint64_t logic; /* the bits of `past`, or a state of `automaton` */
};

struct formula_machine {
	struct machine machine;
	struct input_symbols *symbols;
	struct form form;
	struct past past;
	struct automaton automaton;
	bool is_past; /* uses `past`, not `automaton` */
	/*
	 * ere: reads neither the state before the first event nor states in which nothing happens
	 */
	bool only_events;
	VEC(struct machine_state) states;
	struct intern numbers;
	struct map successors; /* (state, label) to the next state */
	uint32_t first;
	bool met_unknown;
};

/* ---- one step -------------------------------------------------------------------------------- */

static struct machine_state merge_decided(struct machine_state s)
{
	return s.verdict == OPEN ? s : (struct machine_state){ .verdict = s.verdict };
}

static struct machine_state engine_step(const struct formula_machine *f, bool first, uint64_t logic,
					const struct input_symbol *symbol, uint64_t holds)
{
	struct machine_state next = { .verdict = OPEN, .values = symbol->values, .logic = logic };

	if (f->is_past) {
		if (!past_step(&f->past, first, holds, &next.logic, NULL))
			next.verdict = BAD;
		return merge_decided(next);
	}
	next.logic = automaton_step(&f->automaton, (uint32_t)logic, holds);
	if (f->automaton.states.items[next.logic].bad)
		next.verdict = BAD;
	else if (f->automaton.states.items[next.logic].safe)
		next.verdict = SAFE;
	return merge_decided(next);
}

/*
 * Tries both values of every unknown atom. If all combinations lead to one state, the unknown
 * values do not matter. Otherwise the run is unknown from here on, and nothing is claimed about it.
 */
static struct machine_state step_trying_unknowns(struct formula_machine *f, bool first,
						 uint64_t logic, const struct input_symbol *symbol)
{
	struct machine_state next = engine_step(f, first, logic, symbol, symbol->holds);
	uint64_t way = 0;

	if (__builtin_popcountll(symbol->unknown) > 10)
		next.verdict = UNKNOWN;
	while (next.verdict != UNKNOWN && (way = (way - symbol->unknown) & symbol->unknown)) {
		struct machine_state other =
			engine_step(f, first, logic, symbol, symbol->holds | way);

		if (other.verdict != next.verdict || other.logic != next.logic)
			next.verdict = UNKNOWN;
	}
	f->met_unknown |= next.verdict == UNKNOWN;
	return merge_decided(next);
}

static uint32_t number_state(struct formula_machine *f, struct machine_state state)
{
	bool fresh;
	uint32_t number = intern_put(&f->numbers, (const char *)&state, sizeof state, &fresh);

	if (fresh)
		*vec_push(&f->states) = state;
	return number;
}

static bool step(void *self, uint32_t state, uint32_t label, machine_states *next, struct err *err)
{
	struct formula_machine *f = self;
	struct machine_state from = f->states.items[state];
	struct input_symbol symbol;
	bool fresh;
	uint64_t *successors;

	if (from.verdict != OPEN) {
		*vec_push(next) = state;
		return true;
	}
	successors = map_put(&f->successors, (uint64_t)state << 32 | label, &fresh);
	if (fresh) {
		input_symbols_step(f->symbols, from.values, label, &symbol);
		*successors = number_state(f, step_trying_unknowns(f, false, from.logic, &symbol));
	}
	if (f->states.count > MACHINE_STATES)
		return err_set(err, "the values of its variables lead to more than %u states",
			       MACHINE_STATES);
	*vec_push(next) = (uint32_t)*successors;
	return true;
}

/* ---- the interface of a machine -------------------------------------------------------------- */

static uint32_t initial(void *self)
{
	return ((struct formula_machine *)self)->first;
}

static bool is_bad(void *self, uint32_t state)
{
	return ((struct formula_machine *)self)->states.items[state].verdict == BAD;
}

static bool is_bad_at_end(void *self, uint32_t state)
{
	const struct formula_machine *f = self;
	const struct machine_state *s = &f->states.items[state];

	return s->verdict == BAD ||
	       (s->verdict == OPEN && !f->is_past && !f->automaton.states.items[s->logic].accepts);
}

static bool is_safe(void *self, uint32_t state)
{
	enum machine_verdict verdict =
		((struct formula_machine *)self)->states.items[state].verdict;

	return verdict == SAFE || verdict == UNKNOWN;
}

static const char *doubt(void *self)
{
	return ((struct formula_machine *)self)->met_unknown
		       ? "the value of a condition was not recorded: runs whose verdict depends on "
			 "it "
			 "were not judged from there on"
		       : NULL;
}

static void free_formula(void *self)
{
	struct formula_machine *f = self;

	if (f->symbols)
		input_symbols_close(f->symbols);
	past_close(&f->past);
	form_free(&f->form);
	automaton_free(&f->automaton);
	vec_free(&f->states);
	intern_free(&f->numbers);
	map_free(&f->successors);
	free(f);
}

void machine_close(struct machine *machine)
{
	if (machine)
		machine->free(machine->self);
}

/* ---- making a machine ------------------------------------------------------------------------ */

/* Sets the first state. For an ere, nothing has been read; for other formulas, s0 has been read. */
static void set_first_state(struct formula_machine *f)
{
	struct input_symbol symbol;
	struct machine_state first = { .verdict = OPEN };

	input_symbols_first(f->symbols, &symbol);
	if (f->only_events) {
		first.values = symbol.values;
		first.verdict = f->automaton.states.items[0].bad    ? BAD
				: f->automaton.states.items[0].safe ? SAFE
								    : OPEN;
		first = merge_decided(first);
	} else {
		first = step_trying_unknowns(f, true, 0, &symbol);
	}
	f->first = number_state(f, first);
}

static bool open_engine(struct formula_machine *f, const struct spec_property *property,
			const struct spec_formula *formula, struct err *err)
{
	if (f->only_events)
		return ere_automaton(formula->ere, property->event_count, &f->automaton, err);
	if (!form_read(&f->form, formula, err))
		return false;
	return f->is_past ? past_open(&f->past, &f->form, err)
			  : future_automaton(&f->form, &f->automaton, err);
}

/* Never returns NULL: for input_symbols_open(), NULL means one atom for each event. */
static const struct spec_expr *const *atoms_of(const struct form *form)
{
	static const struct spec_expr *const none[1];

	return form->atoms.count ? form->atoms.items : none;
}

struct machine *machine_of_formula(const struct property_set *set, uint32_t property,
				   const struct spec_formula *formula, const struct labels *labels,
				   const char *directory, struct err *err)
{
	struct formula_machine *f;

	if (formula->formalism == SPEC_MONITOR)
		return plugin_open(set, property, formula, labels, directory, err);
	assert(formula->formalism == SPEC_TEMPORAL || formula->formalism == SPEC_LTL ||
	       formula->formalism == SPEC_ERE);
	f = mem_zalloc(1, sizeof *f);
	f->is_past = formula->formalism == SPEC_TEMPORAL;
	f->only_events = formula->formalism == SPEC_ERE;
	f->machine = (struct machine){ .self = f,
				       .initial = initial,
				       .step = step,
				       .is_bad = is_bad,
				       .is_bad_at_end = is_bad_at_end,
				       .is_safe = is_safe,
				       .free = free_formula,
				       .doubt = doubt };
	if (open_engine(f, set->properties.items[property].property, formula, err))
		f->symbols = input_symbols_open(set, property, labels,
						f->only_events ? NULL : atoms_of(&f->form),
						f->form.atoms.count, err);
	if (!f->symbols) {
		free_formula(f);
		return NULL;
	}
	set_first_state(f);
	return &f->machine;
}
