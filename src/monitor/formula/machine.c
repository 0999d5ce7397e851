/* Machines of formulas: letters (input_symbols.c) for an engine of src/logic. */
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

/* Of those that are not open there is one each: nobody asks how it came to that. */
struct machine_state {
	uint32_t verdict;
	uint32_t values;
	uint64_t logic; /* bits of the past, or a state of the automaton */
};

struct formula {
	struct machine machine;
	struct input_symbols *letters;
	struct form form;
	struct past past;
	struct automaton automaton;
	bool looks_back;  /* `past` rather than `automaton` */
	bool only_events; /* ere: no state before the first event, none where nothing happens */
	VEC(struct machine_state) states;
	struct intern numbers;
	struct map known; /* state and label: the next state */
	uint32_t first;
	bool doubted;
};

/* ---- one step -------------------------------------------------------------------------------- */

static struct machine_state settle(struct machine_state s)
{
	return s.verdict == OPEN ? s : (struct machine_state){ .verdict = s.verdict };
}

static struct machine_state engine_step(const struct formula *f, bool first, uint64_t logic,
					const struct letter *letter, uint64_t holds)
{
	struct machine_state next = { .verdict = OPEN, .values = letter->values, .logic = logic };

	if (f->looks_back) {
		if (!past_step(&f->past, first, holds, &next.logic, NULL))
			next.verdict = BAD;
		return settle(next);
	}
	next.logic = automaton_step(&f->automaton, (uint32_t)logic, holds);
	if (f->automaton.states.items[next.logic].bad)
		next.verdict = BAD;
	else if (f->automaton.states.items[next.logic].safe)
		next.verdict = SAFE;
	return settle(next);
}

/*
 * What is unknown is tried both ways: where all ways lead to one state it does not matter. Otherwise
 * nothing is known of this run any more, and nothing will be claimed of it.
 */
static struct machine_state decide(struct formula *f, bool first, uint64_t logic,
				   const struct letter *letter)
{
	struct machine_state next = engine_step(f, first, logic, letter, letter->holds);
	uint64_t way = 0;

	if (__builtin_popcountll(letter->unknown) > 10)
		next.verdict = UNKNOWN;
	while (next.verdict != UNKNOWN && (way = (way - letter->unknown) & letter->unknown)) {
		struct machine_state other =
			engine_step(f, first, logic, letter, letter->holds | way);

		if (other.verdict != next.verdict || other.logic != next.logic)
			next.verdict = UNKNOWN;
	}
	f->doubted |= next.verdict == UNKNOWN;
	return settle(next);
}

static uint32_t number_of(struct formula *f, struct machine_state state)
{
	bool fresh;
	uint32_t number = intern_put(&f->numbers, (const char *)&state, sizeof state, &fresh);

	if (fresh)
		*vec_push(&f->states) = state;
	return number;
}

static bool step(void *self, uint32_t state, uint32_t label, machine_states *next, struct err *err)
{
	struct formula *f = self;
	struct machine_state from = f->states.items[state];
	struct letter letter;
	bool fresh;
	uint64_t *known;

	if (from.verdict != OPEN) {
		*vec_push(next) = state;
		return true;
	}
	known = map_put(&f->known, (uint64_t)state << 32 | label, &fresh);
	if (fresh) {
		input_symbols_step(f->letters, from.values, label, &letter);
		*known = number_of(f, decide(f, false, from.logic, &letter));
	}
	if (f->states.count > MACHINE_STATES)
		return err_set(err, "the values of its variables make more than %u states",
			       MACHINE_STATES);
	*vec_push(next) = (uint32_t)*known;
	return true;
}

/* ---- what a machine says ------------------------------------------------------------------------ */

static uint32_t initial(void *self)
{
	return ((struct formula *)self)->first;
}

static bool is_bad(void *self, uint32_t state)
{
	return ((struct formula *)self)->states.items[state].verdict == BAD;
}

static bool is_bad_at_end(void *self, uint32_t state)
{
	const struct formula *f = self;
	const struct machine_state *s = &f->states.items[state];

	return s->verdict == BAD || (s->verdict == OPEN && !f->looks_back &&
				     !f->automaton.states.items[s->logic].accepts);
}

static bool is_safe(void *self, uint32_t state)
{
	enum machine_verdict verdict = ((struct formula *)self)->states.items[state].verdict;

	return verdict == SAFE || verdict == UNKNOWN;
}

static const char *doubt(void *self)
{
	return ((struct formula *)self)->doubted
		       ? "a condition has a value that was not recorded: runs on which the verdict "
			 "depends on it were not judged from there on"
		       : NULL;
}

static void free_formula(void *self)
{
	struct formula *f = self;

	if (f->letters)
		input_symbols_close(f->letters);
	past_close(&f->past);
	form_free(&f->form);
	automaton_free(&f->automaton);
	vec_free(&f->states);
	intern_free(&f->numbers);
	map_free(&f->known);
	free(f);
}

void machine_close(struct machine *machine)
{
	if (machine)
		machine->free(machine->self);
}

/* ---- making one ------------------------------------------------------------------------------ */

/* The state in front of every run: an ere has read nothing, the others s0. */
static void begin(struct formula *f)
{
	struct letter letter;
	struct machine_state first = { .verdict = OPEN };

	input_symbols_first(f->letters, &letter);
	if (f->only_events) {
		first.values = letter.values;
		first.verdict = f->automaton.states.items[0].bad    ? BAD
				: f->automaton.states.items[0].safe ? SAFE
								    : OPEN;
		first = settle(first);
	} else {
		first = decide(f, true, 0, &letter);
	}
	f->first = number_of(f, first);
}

static bool make_engine(struct formula *f, const struct spec_property *property,
			const struct spec_formula *formula, struct err *err)
{
	if (f->only_events)
		return ere_automaton(formula->ere, property->event_count, &f->automaton, err);
	if (!form_read(&f->form, formula, err))
		return false;
	return f->looks_back ? past_open(&f->past, &f->form, err)
			     : future_automaton(&f->form, &f->automaton, err);
}

/* Never NULL, which would mean all events. */
static const struct spec_expr *const *atoms_of(const struct form *form)
{
	static const struct spec_expr *const none[1];

	return form->atoms.count ? form->atoms.items : none;
}

struct machine *machine_of_formula(const struct property_set *set, uint32_t property,
				   const struct spec_formula *formula, const struct labels *labels,
				   const char *directory, struct err *err)
{
	struct formula *f;

	if (formula->formalism == SPEC_MONITOR)
		return plugin_open(set, property, formula, labels, directory, err);
	assert(formula->formalism == SPEC_TEMPORAL || formula->formalism == SPEC_LTL ||
	       formula->formalism == SPEC_ERE);
	f = mem_zalloc(1, sizeof *f);
	f->looks_back = formula->formalism == SPEC_TEMPORAL;
	f->only_events = formula->formalism == SPEC_ERE;
	f->machine = (struct machine){ .self = f,
				       .initial = initial,
				       .step = step,
				       .is_bad = is_bad,
				       .is_bad_at_end = is_bad_at_end,
				       .is_safe = is_safe,
				       .free = free_formula,
				       .doubt = doubt };
	if (make_engine(f, set->properties.items[property].property, formula, err))
		f->letters = input_symbols_open(set, property, labels,
						f->only_events ? NULL : atoms_of(&f->form),
						f->form.atoms.count, err);
	if (!f->letters) {
		free_formula(f);
		return NULL;
	}
	begin(f);
	return &f->machine;
}
