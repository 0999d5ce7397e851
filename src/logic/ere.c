/*
 * Makes automata of regular expressions by Brzozowski's derivatives, for all input symbols at once:
 * the derivative of an expression is a diagram over the events whose leaves are expressions
 * (Stanford, Veanes, Bjorner: "Symbolic Boolean derivatives", PLDI 2021).
 *
 * An expression is a proposition over *terms* (a symbol, a sequence, a star), stored as a diagram:
 * union, intersection and complement of expressions are `or`, `and` and `not` of diagrams. So
 * expressions that are equal as propositions are the same node. This identifies more expressions
 * than Brzozowski's similarity does; therefore the derivatives are finitely many.
 *
 * A word is accepted if its derivative contains the empty word. To test this, the proposition is
 * evaluated: each term is true if the term contains the empty word.
 */
#include "logic/ere.h"
#include "base/hash.h"

#include <assert.h>

#define MOST_TERMS 50000u

enum term_kind { EPSILON, ANY, SYMBOL, SEQUENCE, STAR };

struct term {
	uint8_t kind;
	bool empty;	      /* contains the empty word */
	bool derived;	      /* `derivative` is set */
	uint32_t event;	      /* SYMBOL: its number */
	uint32_t left, right; /* SEQUENCE: its parts; STAR: `left` is repeated */
	uint32_t derivative;
	uint32_t same; /* 1 + index of another term with the same hash; 0: none */
};

struct ere {
	struct decisions decisions;
	uint32_t events, some;	/* some: the diagram "the symbol has an event" */
	VEC(struct term) terms; /* term i is variable number events + i */
	struct map index;	/* from a hash to the last term with it, + 1 */
	struct map known;	/* from an expression to its derivative */
};

/* ---- expressions ----------------------------------------------------------------------------- */

static bool has_empty(const struct ere *e, uint32_t expr)
{
	const struct decision_node *nodes = e->decisions.nodes.items;

	while (nodes[expr].variable != DECISION_LEAF)
		expr = e->terms.items[nodes[expr].variable - e->events].empty ? nodes[expr].high
									      : nodes[expr].low;
	return expr == DECISION_TRUE;
}

static uint32_t add_node(struct ere *e, struct term term)
{
	uint64_t hash = hash_mix(hash_mix(hash_mix(hash_mix(0, term.kind), term.event), term.left),
				 term.right);
	uint64_t *last = map_put(&e->index, hash, NULL);

	for (uint32_t i = (uint32_t)*last; i; i = e->terms.items[i - 1].same) {
		const struct term *t = &e->terms.items[i - 1];

		if (t->kind == term.kind && t->event == term.event && t->left == term.left &&
		    t->right == term.right)
			return decision_variable(&e->decisions, e->events + i - 1);
	}
	if (e->terms.count == MOST_TERMS)
		e->decisions.spent = true;
	if (e->decisions.spent)
		return DECISION_FALSE;
	term.same = (uint32_t)*last;
	*vec_push(&e->terms) = term;
	*last = e->terms.count;
	return decision_variable(&e->decisions, e->events + (uint32_t)e->terms.count - 1);
}

static uint32_t epsilon(struct ere *e)
{
	return add_node(e, (struct term){ .kind = EPSILON, .empty = true });
}

/* Returns the term if the expression is a single term, otherwise NULL. */
static const struct term *only_term(const struct ere *e, uint32_t expr)
{
	const struct decision_node *n = &e->decisions.nodes.items[expr];

	return n->variable != DECISION_LEAF && n->low == DECISION_FALSE && n->high == DECISION_TRUE
		       ? &e->terms.items[n->variable - e->events]
		       : NULL;
}

/* Is the expression a union of terms and nothing else? */
static bool is_union(const struct ere *e, uint32_t expr)
{
	const struct decision_node *nodes = e->decisions.nodes.items;

	while (nodes[expr].variable != DECISION_LEAF && nodes[expr].high == DECISION_TRUE)
		expr = nodes[expr].low;
	return expr == DECISION_FALSE;
}

/*
 * Returns the expression "a, then b" in a normal form: (ab)c becomes a(bc), (a|b)c becomes ac|bc,
 * and "all words" next to an expression that contains the empty word becomes "all words". The empty
 * word and the empty language are also simplified. These rules keep the number of derivatives
 * small: without them, (a|b)* c had a state for each word.
 */
static uint32_t sequence(struct ere *e, uint32_t a, uint32_t b)
{
	struct decisions *d = &e->decisions;
	const struct term *term = only_term(e, a);
	struct decision_node n = d->nodes.items[a];

	if (d->spent || a == DECISION_FALSE || b == DECISION_FALSE)
		return DECISION_FALSE;
	if (term && term->kind == EPSILON)
		return b;
	if (b == epsilon(e))
		return a;
	if ((b == DECISION_TRUE && has_empty(e, a)) || (a == DECISION_TRUE && has_empty(e, b)))
		return DECISION_TRUE;
	term = only_term(e, a); /* epsilon() may have moved the terms in memory */
	if (term && term->kind == SEQUENCE) {
		uint32_t first = term->left, second = term->right;

		return sequence(e, first, sequence(e, second, b));
	}
	if (!term && a != DECISION_TRUE && is_union(e, a)) {
		uint32_t one = sequence(e, decision_variable(d, n.variable), b);

		return decision_or(d, one, sequence(e, n.low, b));
	}
	return add_node(e, (struct term){ .kind = SEQUENCE,
					  .left = a,
					  .right = b,
					  .empty = has_empty(e, a) && has_empty(e, b) });
}

static uint32_t star(struct ere *e, uint32_t a)
{
	const struct term *term = only_term(e, a);

	if (a == DECISION_FALSE || (term && term->kind == EPSILON))
		return epsilon(e);
	if (a == DECISION_TRUE || (term && term->kind == ANY))
		return DECISION_TRUE;
	if (term && term->kind == STAR)
		return a;
	return add_node(e, (struct term){ .kind = STAR, .left = a, .empty = true });
}

/* ---- from the tree --------------------------------------------------------------------------- */

static uint32_t read_ere(struct ere *e, const struct spec_ere *tree);

static uint32_t read_parts(struct ere *e, const struct spec_ere *tree)
{
	struct decisions *d = &e->decisions;
	uint32_t made = read_ere(e, tree->parts);

	for (const struct spec_ere *part = tree->parts->next; part; part = part->next) {
		uint32_t one = read_ere(e, part);

		made = tree->kind == SPEC_ERE_EITHER ? decision_or(d, made, one)
						     : decision_and(d, made, one);
	}
	return made;
}

/* Builds the sequence from the right, so that sequence() need not regroup (ab)c. */
static uint32_t read_sequence(struct ere *e, const struct spec_ere *part)
{
	uint32_t first = read_ere(e, part);

	return part->next ? sequence(e, first, read_sequence(e, part->next)) : first;
}

static uint32_t read_ere(struct ere *e, const struct spec_ere *tree)
{
	uint32_t part;

	switch (tree->kind) {
	case SPEC_ERE_EVENT:
		return add_node(e, (struct term){ .kind = SYMBOL, .event = tree->event });
	case SPEC_ERE_ANY: return add_node(e, (struct term){ .kind = ANY });
	case SPEC_ERE_EPSILON: return epsilon(e);
	case SPEC_ERE_EMPTY: return DECISION_FALSE;
	case SPEC_ERE_SEQUENCE: return read_sequence(e, tree->parts);
	case SPEC_ERE_EITHER:
	case SPEC_ERE_BOTH: return read_parts(e, tree);
	case SPEC_ERE_STAR: return star(e, read_ere(e, tree->parts));
	case SPEC_ERE_PLUS:
		part = read_ere(e, tree->parts);
		return sequence(e, part, star(e, part));
	case SPEC_ERE_MAYBE:
		part = read_ere(e, tree->parts);
		return decision_or(&e->decisions, epsilon(e), part);
	case SPEC_ERE_NOT: return decision_not(&e->decisions, read_ere(e, tree->parts));
	}
	assert(!"no such kind of expression");
	return DECISION_FALSE;
}

/* ---- derivatives ----------------------------------------------------------------------------- */

static uint32_t derive(void *self, uint32_t expr);

struct followed_by {
	struct ere *ere;
	uint32_t right;
};

static uint32_t append_right(void *context, uint32_t expr)
{
	struct followed_by *b = context;

	return sequence(b->ere, expr, b->right);
}

/* Returns the derivative of `left`, with `right` appended to each expression in its leaves. */
static uint32_t derive_left(struct ere *e, uint32_t left, uint32_t right)
{
	struct followed_by followed_by = { e, right };
	struct decision_change change = { .border = e->events,
					  .change = append_right,
					  .context = &followed_by };
	uint32_t made = decision_exchange(&e->decisions, &change, derive(e, left));

	map_free(&change.known);
	return made;
}

static uint32_t derive_term(struct ere *e, uint32_t number)
{
	struct term t = e->terms.items[number];
	struct decisions *d = &e->decisions;
	uint32_t made = DECISION_FALSE;

	if (t.derived || d->spent)
		return t.derivative;
	switch (t.kind) {
	case EPSILON: break;
	case ANY: made = epsilon(e); break;
	case SYMBOL: made = decision_node(d, t.event, DECISION_FALSE, epsilon(e)); break;
	case STAR: made = derive_left(e, t.left, decision_variable(d, e->events + number)); break;
	case SEQUENCE:
		made = derive_left(e, t.left, t.right);
		if (has_empty(e, t.left))
			made = decision_or(d, made, derive(e, t.right));
		break;
	}
	e->terms.items[number].derivative = made;
	e->terms.items[number].derived = true;
	return made;
}

static uint32_t derive(void *self, uint32_t expr)
{
	struct ere *e = self;
	struct decisions *d = &e->decisions;
	struct decision_node n = d->nodes.items[expr];
	const uint64_t *known = map_get(&e->known, expr);
	uint32_t low, high, made;

	if (known || n.variable == DECISION_LEAF || d->spent)
		return known ? (uint32_t)*known : expr;
	low = derive(e, n.low);
	high = derive(e, n.high);
	made = decision_choose(d, derive_term(e, n.variable - e->events), high, low);
	*map_put(&e->known, expr, NULL) = made;
	return made;
}

/* A symbol without events is not part of a word: it leaves the expression unchanged. */
static uint32_t step(void *self, uint32_t expr)
{
	struct ere *e = self;

	return decision_choose(&e->decisions, e->some, derive(e, expr), expr);
}

static bool accepts(void *self, uint32_t expr)
{
	return has_empty(self, expr);
}

bool ere_automaton(const struct spec_ere *tree, uint32_t events, struct automaton *automaton,
		   struct err *err)
{
	struct ere e = { .events = events };
	struct automaton_engine engine = { .self = &e,
					   .decisions = &e.decisions,
					   .atoms = events,
					   .step = step,
					   .accepts = accepts };
	bool built;

	if (events > 64)
		return err_set(err, "the property has more than 64 events");
	decisions_open(&e.decisions);
	for (uint32_t i = events; i--;)
		e.some = decision_node(&e.decisions, i, e.some, DECISION_TRUE);
	engine.start = read_ere(&e, tree);
	built = automaton_build(automaton, &engine, err);
	decisions_close(&e.decisions);
	vec_free(&e.terms);
	map_free(&e.index);
	map_free(&e.known);
	return built;
}
