/* Past-time formulas, evaluated state by state or as an automaton: see past.h. */
#include "logic/past.h"
#include "base/mem.h"

#include <assert.h>

#define MOST_BITS 64u

/* ---- bits ------------------------------------------------------------------------------------ */

/* Returns the node whose value in the previous state this node needs, or FORM_NONE. */
static uint32_t asks_for(const struct form *form, uint32_t node)
{
	const struct form_node *n = &form->nodes.items[node];

	switch (n->operator) {
	case SPEC_PREV:
	case SPEC_START:
	case SPEC_END: return n->part[0];
	case SPEC_ONCE:
	case SPEC_SOFAR:
	case SPEC_SINCE:
	case SPEC_INTERVAL: return node;
	default: return FORM_NONE;
	}
}

bool past_open(struct past *p, const struct form *form, struct err *err)
{
	/* by node: the bit that holds its value, or FORM_NONE */
	uint32_t *bits = mem_alloc(form->nodes.count * sizeof *bits);

	*p = (struct past){ .form = form };
	p->bit = mem_alloc(form->nodes.count * sizeof *p->bit);
	for (uint32_t i = 0; i < form->nodes.count; i++)
		p->bit[i] = bits[i] = FORM_NONE;
	for (uint32_t i = 0; i < form->nodes.count; i++) {
		uint32_t of = asks_for(form, i);

		if (of == FORM_NONE)
			continue;
		if (bits[of] == FORM_NONE) {
			bits[of] = (uint32_t)p->remembered.count;
			*vec_push(&p->remembered) = of;
		}
		p->bit[i] = bits[of];
	}
	free(bits);
	if (p->remembered.count <= MOST_BITS)
		return true;
	past_close(p);
	return err_set(err, "the formula looks back with more than %u different operators",
		       MOST_BITS);
}

void past_close(struct past *p)
{
	vec_free(&p->remembered);
	free(p->bit);
	p->bit = NULL;
}

/* ---- a state --------------------------------------------------------------------------------- */

/*
 * `a`, `b`, `c`: values of the operands in this state; `was`: the value of the bit that the node
 * needs; `first`: there is no previous state.
 */
static bool node_value(const struct form_node *n, bool a, bool b, bool c, bool was, bool first)
{
	switch (n->operator) {
	case SPEC_NUMBER: return n->holds;
	case SPEC_NOT: return !a;
	case SPEC_AND: return a && b;
	case SPEC_OR: return a || b;
	case SPEC_IMPLIES: return !a || b;
	case SPEC_IFF: return a == b;
	case SPEC_CONDITIONAL: return a ? b : c;
	case SPEC_PREV: return first ? a : was;
	case SPEC_ONCE: return a || (!first && was);
	case SPEC_SOFAR: return a && (first || was);
	case SPEC_SINCE: return b || (a && !first && was);
	case SPEC_START: return a && !first && !was;
	case SPEC_END: return !a && !first && was;
	case SPEC_INTERVAL: return !b && (a || (!first && was));
	default: assert(!"an operator that looks ahead"); return false;
	}
}

bool past_step(const struct past *p, bool first, uint64_t symbol, uint64_t *bits, bool *values)
{
	const struct form *f = p->form;
	bool few[64], *v = values ? values : few, holds;
	uint64_t fresh = 0;

	if (!values && f->nodes.count > sizeof few)
		v = mem_alloc(f->nodes.count);
	for (size_t i = 0; i < f->nodes.count; i++) {
		const struct form_node *n = &f->nodes.items[i];
		bool part[3] = { false, false, false };

		if (n->operator== SPEC_EVENT) {
			v[i] = symbol >> n->atom & 1;
			continue;
		}
		for (unsigned k = 0; k < 3; k++)
			part[k] = n->part[k] != FORM_NONE && v[n->part[k]];
		v[i] = node_value(n, part[0], part[1], part[2],
				  p->bit[i] != FORM_NONE && *bits >> p->bit[i] & 1, first);
	}
	for (size_t i = 0; i < p->remembered.count; i++)
		fresh |= (uint64_t)v[p->remembered.items[i]] << i;
	*bits = fresh;
	holds = v[f->root];
	if (v != values && v != few)
		free(v);
	return holds;
}

/* ---- all states ------------------------------------------------------------------------------ */

#define MOST_ATOMS 12u /* all 2^n input symbols are enumerated */

/*
 * A state of this engine is a leaf with a number: 0 if the formula is violated, 1 before the first
 * state, otherwise 2 + an index in `bits`.
 */
struct all {
	const struct past *past;
	struct decisions decisions;
	VEC(uint64_t) bits;
	struct map numbers;
	uint32_t atoms;
};

static uint32_t after(struct all *a, uint32_t state, uint64_t symbol)
{
	bool first = state == DECISION_TRUE, fresh;
	uint64_t bits = 0, *number;

	if (!first)
		bits = a->bits.items[a->decisions.nodes.items[state].low - 2];
	if (!past_step(a->past, first, symbol, &bits, NULL))
		return DECISION_FALSE;
	number = map_put(&a->numbers, bits, &fresh);
	if (fresh) {
		*number = a->bits.count;
		*vec_push(&a->bits) = bits;
	}
	return decision_leaf(&a->decisions, (uint32_t)*number + 2);
}

static uint32_t after_all(struct all *a, uint32_t state, uint32_t atom, uint64_t symbol)
{
	uint32_t low;

	if (atom == a->atoms)
		return after(a, state, symbol);
	low = after_all(a, state, atom + 1, symbol);
	return decision_node(&a->decisions, atom, low,
			     after_all(a, state, atom + 1, symbol | 1ull << atom));
}

static uint32_t step(void *self, uint32_t state)
{
	return state == DECISION_FALSE ? state : after_all(self, state, 0, 0);
}

static bool accepts(void *self, uint32_t state)
{
	(void)self;
	return state != DECISION_FALSE;
}

bool past_automaton(const struct past *p, struct automaton *automaton, struct err *err)
{
	struct all all = { .past = p, .atoms = (uint32_t)p->form->atoms.count };
	bool built;

	if (all.atoms > MOST_ATOMS)
		return err_set(err, "it has more than %u different events and conditions",
			       MOST_ATOMS);
	decisions_open(&all.decisions);
	built = automaton_build(automaton,
				&(struct automaton_engine){ .self = &all,
							    .decisions = &all.decisions,
							    .atoms = all.atoms,
							    .start = DECISION_TRUE,
							    .step = step,
							    .accepts = accepts },
				err);
	decisions_close(&all.decisions);
	vec_free(&all.bits);
	map_free(&all.numbers);
	return built;
}
