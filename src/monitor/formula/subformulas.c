/*
 * Evaluates subformulas with Kleene's three-valued logic over the definitions of doc/lattice.md,
 * "States and words": forwards for past operators, backwards for future operators. This is linear,
 * but may say open where all continuations agree. For the whole formula at the first state, the
 * automaton gives the exact value.
 */
#include "monitor/formula/subformulas.h"
#include "base/mem.h"
#include "logic/ere.h"
#include "logic/form.h"
#include "logic/future.h"
#include "monitor/formula/input_symbols.h"
#include "spec/explain.h"

static enum subformulas_value kleene_not(enum subformulas_value a)
{
	return a == SUBFORMULAS_OPEN ? a : a == SUBFORMULAS_FALSE;
}

static enum subformulas_value kleene_and(enum subformulas_value a, enum subformulas_value b)
{
	if (a == SUBFORMULAS_FALSE || b == SUBFORMULAS_FALSE)
		return SUBFORMULAS_FALSE;
	return a == SUBFORMULAS_TRUE && b == SUBFORMULAS_TRUE ? SUBFORMULAS_TRUE : SUBFORMULAS_OPEN;
}

static enum subformulas_value kleene_or(enum subformulas_value a, enum subformulas_value b)
{
	return kleene_not(kleene_and(kleene_not(a), kleene_not(b)));
}

static enum subformulas_value kleene_equal(enum subformulas_value a, enum subformulas_value b)
{
	return a == SUBFORMULAS_OPEN || b == SUBFORMULAS_OPEN ? SUBFORMULAS_OPEN : a == b;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

struct evaluation {
	const struct form *form;
	const struct input_symbol *symbols;
	size_t states;
	bool ended;
	uint8_t *values; /* by node and state */
};

static enum subformulas_value value_at(const struct evaluation *e, uint32_t node, size_t state)
{
	return node == FORM_NONE ? SUBFORMULAS_OPEN : e->values[node * e->states + state];
}

static enum subformulas_value atom_value(const struct evaluation *e, uint32_t atom_value,
					 size_t state)
{
	if (e->symbols[state].unknown >> atom_value & 1)
		return SUBFORMULAS_OPEN;
	return e->symbols[state].holds >> atom_value & 1;
}

static enum subformulas_value past_value(const struct evaluation *e, uint32_t node, size_t state)
{
	const struct form_node *n = &e->form->nodes.items[node];
	bool first = !state;
	enum subformulas_value p = value_at(e, n->part[0], state),
			       q = value_at(e, n->part[1], state);
	enum subformulas_value p_was = first ? p : value_at(e, n->part[0], state - 1);
	enum subformulas_value was = first ? SUBFORMULAS_FALSE : value_at(e, node, state - 1);

	switch (n->operator) {
	case SPEC_PREV: return p_was;
	case SPEC_ONCE: return kleene_or(p, was);
	case SPEC_SOFAR: return first ? p : kleene_and(p, was);
	case SPEC_SINCE: return kleene_or(q, kleene_and(p, was));
	case SPEC_START: return first ? SUBFORMULAS_FALSE : kleene_and(p, kleene_not(p_was));
	case SPEC_END: return first ? SUBFORMULAS_FALSE : kleene_and(kleene_not(p), p_was);
	default: return kleene_and(kleene_not(q), kleene_or(p, was)); /* [p, q) */
	}
}

static enum subformulas_value future_value(const struct evaluation *e, uint32_t node, size_t state)
{
	const struct form_node *n = &e->form->nodes.items[node];
	bool last = state + 1 == e->states;
	enum subformulas_value nothing =
		e->ended ? SUBFORMULAS_FALSE : SUBFORMULAS_OPEN; /* value beyond the last state */
	enum subformulas_value p = value_at(e, n->part[0], state),
			       q = value_at(e, n->part[1], state);
	enum subformulas_value will = last ? nothing : value_at(e, node, state + 1);

	switch (n->operator) {
	case SPEC_NEXT: return last ? nothing : value_at(e, n->part[0], state + 1);
	case SPEC_UNTIL: return kleene_or(q, kleene_and(p, will));
	case SPEC_EVENTUALLY: return kleene_or(p, will);
	default: return last && e->ended ? p : kleene_and(p, will); /* always */
	}
}

static enum subformulas_value node_value(const struct evaluation *e, uint32_t node, size_t state)
{
	const struct form_node *n = &e->form->nodes.items[node];
	enum subformulas_value a = value_at(e, n->part[0], state),
			       b = value_at(e, n->part[1], state);

	switch (n->operator) {
	case SPEC_NUMBER: return n->holds;
	case SPEC_EVENT: return atom_value(e, n->atom, state);
	case SPEC_NOT: return kleene_not(a);
	case SPEC_AND: return kleene_and(a, b);
	case SPEC_OR: return kleene_or(a, b);
	case SPEC_IMPLIES: return kleene_or(kleene_not(a), b);
	case SPEC_IFF: return kleene_equal(a, b);
	case SPEC_CONDITIONAL:
		return kleene_or(kleene_and(a, b),
				 kleene_and(kleene_not(a), value_at(e, n->part[2], state)));
	default:
		return n->operator>= SPEC_ALWAYS ? future_value(e, node, state)
						 : past_value(e, node, state);
	}
}

/*
 * A node comes after its operands, so their values are known at all states. The node's own value is
 * needed at one neighbouring state: the next one for future operators, otherwise the previous one.
 */
static void evaluate_nodes(struct evaluation *e)
{
	for (uint32_t node = 0; node < e->form->nodes.count; node++)
		for (size_t i = 0; i < e->states; i++) {
			bool ahead = e->form->nodes.items[node].operator>= SPEC_ALWAYS;
			size_t state = ahead ? e->states - 1 - i : i;

			e->values[node * e->states + state] = node_value(e, node, state);
		}
}

/* ---- automata -------------------------------------------------------------------------------- */

/* Stores the value after each prefix. After an unknown symbol all values are open. */
static void follow_automaton(const struct automaton *a, const struct input_symbol *symbols,
			     size_t from, size_t states, bool ended, uint8_t *values)
{
	uint32_t state = 0;
	bool lost = false;

	for (size_t i = 0; i < states; i++) {
		const struct automaton_state *s;

		lost |= symbols[i].unknown != 0;
		if (i >= from)
			state = automaton_step(a, state, symbols[i].holds);
		s = &a->states.items[state];
		values[i] = lost		       ? SUBFORMULAS_OPEN
			    : s->bad		       ? SUBFORMULAS_FALSE
			    : s->safe		       ? SUBFORMULAS_TRUE
			    : !ended || i + 1 < states ? SUBFORMULAS_OPEN
						       : s->accepts;
	}
}

/* ---- the table ------------------------------------------------------------------------------- */

static struct input_symbol *read_symbols(const struct property_set *set, uint32_t property,
					 const struct labels *labels, const struct form *form,
					 const uint32_t *word, size_t count, struct err *err)
{
	static const struct spec_expr *const none[1];
	const struct spec_expr *const *atoms = form && form->atoms.count ? form->atoms.items : none;
	struct input_symbols *l = input_symbols_open(set, property, labels, form ? atoms : NULL,
						     form ? form->atoms.count : 0, err);
	struct input_symbol *made;

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

static void set_exact_value(const struct form *form, const struct input_symbol *symbols,
			    size_t states, bool ended, uint8_t *first)
{
	uint8_t *values = mem_alloc(states);
	struct automaton automaton;
	struct err err;

	if (future_automaton(form, &automaton, &err)) {
		follow_automaton(&automaton, symbols, 0, states, ended, values);
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
	struct input_symbol *symbols;
	struct form form;

	if (!form_read(&form, formula, err))
		return false;
	symbols = read_symbols(set, property, labels, &form, word, out->states - 1, err);
	if (symbols) {
		e.form = &form;
		e.symbols = symbols;
		e.values = mem_zalloc(form.nodes.count, e.states);
		evaluate_nodes(&e);
		if (formula->formalism == SPEC_LTL)
			set_exact_value(&form, symbols, e.states, ended,
					e.values + form.root * e.states);
		add_nodes(&e, out);
		free(e.values);
	}
	free(symbols);
	form_free(&form);
	return symbols;
}

static bool read_ere(const struct property_set *set, uint32_t property,
		     const struct spec_formula *formula, const struct labels *labels,
		     const uint32_t *word, bool ended, struct subformulas *out, struct err *err)
{
	uint32_t events = set->properties.items[property].property->event_count;
	struct input_symbol *symbols;
	struct automaton automaton;
	uint8_t *values;
	char *text = NULL;
	size_t size;
	FILE *memory;

	if (!ere_automaton(formula->ere, events, &automaton, err))
		return false;
	symbols = read_symbols(set, property, labels, NULL, word, out->states - 1, err);
	if (symbols) {
		values = mem_alloc(out->states);
		follow_automaton(&automaton, symbols, 1, out->states, ended, values);
		memory = mem_stream(&text, &size);
		explain_ere(memory, formula->ere);
		mem_stream_close(memory);
		add_row(out, text, values);
		free(values);
	}
	free(symbols);
	automaton_free(&automaton);
	return symbols;
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
	vec_free_all(&s->texts);
	free(s->values);
	s->values = NULL;
}
