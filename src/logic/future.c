/*
 * Progression: what a formula says of a word is a proposition over the atoms of the first symbol
 * and over its *obligations* for the rest of the word. An obligation has one of two forms, "there
 * is a next symbol, and p holds there" or "... and p fails there": two variables per node. `p until
 * q` is q, or p and the obligation (p until q); `next p` is the obligation p; `always p` is p and
 * not the obligation that (always p) fails. An empty rest meets no obligation, so `next` is strong,
 * and `!next !p` is weak.
 *
 * A state is a proposition over obligations. Diagrams are canonical, so there are finitely many
 * states, and equal ones are recognised.
 */
#include "logic/future.h"
#include "base/mem.h"

struct future {
	const struct form *form;
	struct decisions decisions;
	uint32_t atoms;
	/* by node: what it says of a word, in terms of the first symbol and the obligations */
	uint32_t *says;
	/* what the variables require of the next symbol: atoms + 2 * node holds, + 1 fails */
	uint32_t *owed;
	struct map known; /* from a state to what it says of the next symbol */
};

static uint32_t owing(struct future *f, uint32_t node, bool holds)
{
	return decision_variable(&f->decisions, f->atoms + 2 * node + !holds);
}

static void define_node(struct future *f, uint32_t i)
{
	struct decisions *d = &f->decisions;
	const struct form_node *n = &f->form->nodes.items[i];
	uint32_t a = n->part[0] != FORM_NONE ? f->says[n->part[0]] : 0;
	uint32_t b = n->part[1] != FORM_NONE ? f->says[n->part[1]] : 0;
	uint32_t c = n->part[2] != FORM_NONE ? f->says[n->part[2]] : 0;
	uint32_t again = owing(f, i, n->operator!= SPEC_ALWAYS);

	switch (n->operator) {
	case SPEC_NUMBER: f->says[i] = n->holds ? DECISION_TRUE : DECISION_FALSE; break;
	case SPEC_EVENT: f->says[i] = decision_variable(d, n->atom); break;
	case SPEC_NOT: f->says[i] = decision_not(d, a); break;
	case SPEC_AND: f->says[i] = decision_and(d, a, b); break;
	case SPEC_OR: f->says[i] = decision_or(d, a, b); break;
	case SPEC_IMPLIES: f->says[i] = decision_choose(d, a, b, DECISION_TRUE); break;
	case SPEC_IFF: f->says[i] = decision_choose(d, a, b, decision_not(d, b)); break;
	case SPEC_CONDITIONAL: f->says[i] = decision_choose(d, a, b, c); break;
	case SPEC_NEXT: f->says[i] = owing(f, n->part[0], true); break;
	case SPEC_UNTIL: f->says[i] = decision_or(d, b, decision_and(d, a, again)); break;
	case SPEC_EVENTUALLY: f->says[i] = decision_or(d, a, again); break;
	case SPEC_ALWAYS: f->says[i] = decision_and(d, a, decision_not(d, again)); break;
	}
	f->owed[2 * i] = f->says[i];
	f->owed[2 * i + 1] = decision_not(d, f->says[i]);
}

static uint32_t step(void *self, uint32_t state)
{
	struct future *f = self;
	struct decisions *d = &f->decisions;
	struct decision_node n = d->nodes.items[state];
	const uint64_t *known = map_get(&f->known, state);
	uint32_t low, made;

	if (known || n.variable == DECISION_LEAF || d->spent)
		return known ? (uint32_t)*known : state;
	low = step(self, n.low);
	made = decision_choose(d, f->owed[n.variable - f->atoms], step(self, n.high), low);
	*map_put(&f->known, state, NULL) = made;
	return made;
}

/* At the end no obligation is met. */
static bool accepts(void *self, uint32_t state)
{
	const struct decision_node *nodes = ((struct future *)self)->decisions.nodes.items;

	while (nodes[state].variable != DECISION_LEAF)
		state = nodes[state].low;
	return state == DECISION_TRUE;
}

bool future_automaton(const struct form *form, struct automaton *automaton, struct err *err)
{
	struct future f = { .form = form, .atoms = (uint32_t)form->atoms.count };
	struct automaton_engine engine = { .self = &f,
					   .decisions = &f.decisions,
					   .atoms = f.atoms,
					   .step = step,
					   .accepts = accepts };
	bool built;

	decisions_open(&f.decisions);
	f.says = mem_zalloc(form->nodes.count, sizeof *f.says);
	f.owed = mem_zalloc(2 * form->nodes.count, sizeof *f.owed);
	for (uint32_t i = 0; i < form->nodes.count; i++)
		define_node(&f, i);
	engine.start = owing(&f, form->root, true);
	built = automaton_build(automaton, &engine, err);
	decisions_close(&f.decisions);
	map_free(&f.known);
	free(f.says);
	free(f.owed);
	return built;
}
