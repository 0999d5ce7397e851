/*
 * Makes automata of future-time formulas by progression. The meaning of a formula for a word
 * depends on the word's first symbol and on *obligations* for the rest of the word. There are two
 * obligations for each node p: "there is a next symbol, and p holds there", and "there is a next
 * symbol, and p fails there". Each is a variable of the diagrams.
 *
 * - `next p` means the obligation that p holds.
 * - `p until q` means: q; or p, and the obligation that (p until q) holds.
 * - `always p` means: p, and not the obligation that (always p) fails.
 *
 * After the last symbol no obligation is met. So `next p` is false at the last symbol (strong), and
 * `!next !p` is true (weak).
 *
 * A state of the automaton is a proposition over obligations. Diagrams are canonical, so equal
 * states are recognised, and there are finitely many.
 */
#include "logic/future.h"
#include "base/mem.h"

struct future {
	const struct form *form;
	struct decisions decisions;
	uint32_t atoms;
	/*
	 * by node: its meaning for a word, a diagram over the first symbol's atoms and obligations
	 */
	uint32_t *says;
	/*
	 * by obligation: its meaning for the word that begins with the next symbol. Obligation 2n:
	 * node n holds there; obligation 2n + 1: node n fails there
	 */
	uint32_t *owed;
	struct map known; /* results of step() */
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

/* After the last symbol no obligation is met. */
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
