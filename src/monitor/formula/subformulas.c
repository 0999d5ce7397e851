/*
 * Kleene's logic with three values over the definitions of doc/lattice.md, "States and words": forwards
 * for what looks back, backwards for what looks ahead. It is linear; the price is that it may say open
 * where all continuations agree. For the whole formula at the first state the automaton says it exactly.
 */
#include "monitor/formula/subformulas.h"
#include "base/mem.h"
#include "logic/ere.h"
#include "logic/form.h"
#include "logic/future.h"
#include "monitor/formula/input_symbols.h"
#include "spec/explain.h"

#include <stdio.h>

static enum subformulas_value not(enum subformulas_value a) {
	return a == SUBFORMULAS_OPEN ? a : a == SUBFORMULAS_FALSE;
}

static enum subformulas_value and (enum subformulas_value a, enum subformulas_value b) {
	if (a == SUBFORMULAS_FALSE || b == SUBFORMULAS_FALSE) return SUBFORMULAS_FALSE;
	return a == SUBFORMULAS_TRUE && b == SUBFORMULAS_TRUE ? SUBFORMULAS_TRUE : SUBFORMULAS_OPEN;
}

static enum subformulas_value or (enum subformulas_value a, enum subformulas_value b) {
	return not(and(not(a), not(b)));
}

static enum subformulas_value same(enum subformulas_value a, enum subformulas_value b)
{
	return a == SUBFORMULAS_OPEN || b == SUBFORMULAS_OPEN ? SUBFORMULAS_OPEN : a == b;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

struct evaluation {
	const struct form *form;
	const struct letter *letters;
	size_t states;
	bool ended;
	uint8_t *values; /* by node and state */
};

static enum subformulas_value at(const struct evaluation *e, uint32_t node, size_t state)
{
	return node == FORM_NONE ? SUBFORMULAS_OPEN : e->values[node * e->states + state];
}

static enum subformulas_value atom(const struct evaluation *e, uint32_t atom, size_t state)
{
	if (e->letters[state].unknown >> atom & 1)
		return SUBFORMULAS_OPEN;
	return e->letters[state].holds >> atom & 1;
}

static enum subformulas_value looks_back(const struct evaluation *e, uint32_t node, size_t state)
{
	const struct form_node *n = &e->form->nodes.items[node];
	bool first = !state;
	enum subformulas_value p = at(e, n->part[0], state), q = at(e, n->part[1], state);
	enum subformulas_value p_was = first ? p : at(e, n->part[0], state - 1);
	enum subformulas_value was = first ? SUBFORMULAS_FALSE : at(e, node, state - 1);

	switch (n->operator) {
	case SPEC_PREV: return p_was;
	case SPEC_ONCE: return or (p, was);
	case SPEC_SOFAR: return first ? p : and(p, was);
	case SPEC_SINCE: return or (q, and(p, was));
	case SPEC_START: return first ? SUBFORMULAS_FALSE : and(p, not(p_was));
	case SPEC_END: return first ? SUBFORMULAS_FALSE : and(not(p), p_was);
	default: return and(not(q), or (p, was)); /* [p, q) */
	}
}

static enum subformulas_value looks_ahead(const struct evaluation *e, uint32_t node, size_t state)
{
	const struct form_node *n = &e->form->nodes.items[node];
	bool last = state + 1 == e->states;
	enum subformulas_value nothing =
		e->ended ? SUBFORMULAS_FALSE : SUBFORMULAS_OPEN; /* beyond the last */
	enum subformulas_value p = at(e, n->part[0], state), q = at(e, n->part[1], state);
	enum subformulas_value will = last ? nothing : at(e, node, state + 1);

	switch (n->operator) {
	case SPEC_NEXT: return last ? nothing : at(e, n->part[0], state + 1);
	case SPEC_UNTIL: return or (q, and(p, will));
	case SPEC_EVENTUALLY: return or (p, will);
	default: return last && e->ended ? p : and(p, will); /* always */
	}
}

static enum subformulas_value of_node(const struct evaluation *e, uint32_t node, size_t state)
{
	const struct form_node *n = &e->form->nodes.items[node];
	enum subformulas_value a = at(e, n->part[0], state), b = at(e, n->part[1], state);

	switch (n->operator) {
	case SPEC_NUMBER: return n->holds;
	case SPEC_EVENT: return atom(e, n->atom, state);
	case SPEC_NOT: return not(a);
	case SPEC_AND: return and(a, b);
	case SPEC_OR: return or (a, b);
	case SPEC_IMPLIES: return or (not(a), b);
	case SPEC_IFF: return same(a, b);
	case SPEC_CONDITIONAL: return or (and(a, b), and(not(a), at(e, n->part[2], state)));
	default:
		return n->operator>= SPEC_ALWAYS ? looks_ahead(e, node, state)
						 : looks_back(e, node, state);
	}
}

/* A node asks for its parts at any state and for itself at one neighbour. */
static void evaluate(struct evaluation *e)
{
	for (uint32_t node = 0; node < e->form->nodes.count; node++)
		for (size_t i = 0; i < e->states; i++) {
			bool ahead = e->form->nodes.items[node].operator>= SPEC_ALWAYS;
			size_t state = ahead ? e->states - 1 - i : i;

			e->values[node * e->states + state] = of_node(e, node, state);
		}
}

/* ---- automata -------------------------------------------------------------------------------- */

/* What a prefix says; what is unknown stays open for good. */
static void follow(const struct automaton *a, const struct letter *letters, size_t from,
		   size_t states, bool ended, uint8_t *values)
{
	uint32_t state = 0;
	bool lost = false;

	for (size_t i = 0; i < states; i++) {
		const struct automaton_state *s;

		lost |= letters[i].unknown != 0;
		if (i >= from)
			state = automaton_step(a, state, letters[i].holds);
		s = &a->states.items[state];
		values[i] = lost		       ? SUBFORMULAS_OPEN
			    : s->bad		       ? SUBFORMULAS_FALSE
			    : s->safe		       ? SUBFORMULAS_TRUE
			    : !ended || i + 1 < states ? SUBFORMULAS_OPEN
						       : s->accepts;
	}
}

/* ---- the table ------------------------------------------------------------------------------- */

static struct letter *read_letters(const struct property_set *set, uint32_t property,
				   const struct labels *labels, const struct form *form,
				   const uint32_t *word, size_t count, struct err *err)
{
	static const struct spec_expr *const none[1];
	const struct spec_expr *const *atoms = form && form->atoms.count ? form->atoms.items : none;
	struct input_symbols *l = input_symbols_open(set, property, labels, form ? atoms : NULL,
						     form ? form->atoms.count : 0, err);
	struct letter *made;

	if (!l)
		return NULL;
	made = mem_alloc((count + 1) * sizeof *made);
	input_symbols_first(l, &made[0]);
	for (size_t i = 0; i < count; i++)
		input_symbols_step(l, made[i].values, word[i], &made[i + 1]);
	input_symbols_close(l);
	return made;
}

static void add_row(struct subformulas *out, char *text, const uint8_t *values)
{
	*vec_push(&out->texts) = text;
	out->values = mem_resize(out->values, out->texts.count, out->states);
	for (size_t i = 0; i < out->states; i++)
		out->values[(out->texts.count - 1) * out->states + i] = values[i];
}

static void add_nodes(const struct evaluation *e, struct subformulas *out)
{
	for (uint32_t i = 0; i < e->form->nodes.count; i++) {
		const struct form_node *n = &e->form->nodes.items[i];

		if (n->expr && n->operator!= SPEC_NUMBER)
			add_row(out, form_text(n->expr), e->values + i * e->states);
	}
}

static void make_exact(const struct form *form, const struct letter *letters, size_t states,
		       bool ended, uint8_t *first)
{
	uint8_t *values = mem_alloc(states);
	struct automaton automaton;
	struct err err;

	if (future_automaton(form, &automaton, &err)) {
		follow(&automaton, letters, 0, states, ended, values);
		if (values[states - 1] != SUBFORMULAS_OPEN)
			*first = values[states - 1];
		automaton_free(&automaton);
	}
	free(values);
}

static bool read_temporal(const struct property_set *set, uint32_t property,
			  const struct spec_formula *formula, const struct labels *labels,
			  const uint32_t *word, bool ended, struct subformulas *out,
			  struct err *err)
{
	struct evaluation e = { .states = out->states, .ended = ended };
	struct letter *letters;
	struct form form;

	if (!form_read(&form, formula, err))
		return false;
	letters = read_letters(set, property, labels, &form, word, out->states - 1, err);
	if (letters) {
		e.form = &form;
		e.letters = letters;
		e.values = mem_zalloc(form.nodes.count, e.states);
		evaluate(&e);
		if (formula->formalism == SPEC_LTL)
			make_exact(&form, letters, e.states, ended,
				   e.values + form.root * e.states);
		add_nodes(&e, out);
		free(e.values);
	}
	free(letters);
	form_free(&form);
	return letters;
}

static bool read_ere(const struct property_set *set, uint32_t property,
		     const struct spec_formula *formula, const struct labels *labels,
		     const uint32_t *word, bool ended, struct subformulas *out, struct err *err)
{
	uint32_t events = set->properties.items[property].property->event_count;
	struct letter *letters;
	struct automaton automaton;
	uint8_t *values;
	char *text = NULL;
	size_t size;
	FILE *memory;

	if (!ere_automaton(formula->ere, events, &automaton, err))
		return false;
	letters = read_letters(set, property, labels, NULL, word, out->states - 1, err);
	if (letters) {
		values = mem_alloc(out->states);
		follow(&automaton, letters, 1, out->states, ended, values);
		memory = open_memstream(&text, &size);
		if (!memory)
			abort();
		explain_ere(memory, formula->ere);
		fclose(memory);
		add_row(out, text, values);
		free(values);
	}
	free(letters);
	automaton_free(&automaton);
	return letters;
}

bool subformulas_read(const struct property_set *set, uint32_t property,
		      const struct spec_formula *formula, const struct labels *labels,
		      const uint32_t *word, size_t count, bool ended, struct subformulas *out,
		      struct err *err)
{
	*out = (struct subformulas){ .states = count + 1 };
	switch (formula->formalism) {
	case SPEC_TEMPORAL:
	case SPEC_LTL: return read_temporal(set, property, formula, labels, word, ended, out, err);
	case SPEC_ERE: return read_ere(set, property, formula, labels, word, ended, out, err);
	default: return true;
	}
}

void subformulas_free(struct subformulas *s)
{
	for (size_t i = 0; i < s->texts.count; i++)
		free(s->texts.items[i]);
	vec_free(&s->texts);
	free(s->values);
	s->values = NULL;
}
