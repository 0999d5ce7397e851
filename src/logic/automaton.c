/*
 * Builds the automaton of an engine: explores the engine's states, minimises them, and determines
 * which are bad and which are safe.
 *
 * Minimisation is Moore's: two states stay in one class as long as both accept or neither does, and
 * their diagrams are equal after each leaf state has been replaced by its class. Equal diagrams
 * have the same number, so one round visits each diagram node once.
 */
#include "logic/automaton.h"
#include "base/hash.h"
#include "base/mem.h"

#include <assert.h>
#include <string.h>

/*
 * Limit for rounds times nodes. A long chain of states needs as many rounds as it has states.
 * Beyond this limit the automaton is not minimised.
 */
#define MOST_MOVES 20000000u

/* ---- exploring ------------------------------------------------------------------------------- */

struct explored {
	uint32_t engine_state, next;
	bool accepts;
};

struct explorer {
	const struct automaton_engine *engine;
	VEC(struct explored) states;
	struct map numbers; /* from an engine state to its index in `states` */
	struct decision_change numbered;
	bool too_many;
};

static uint32_t number_of(void *context, uint32_t engine_state)
{
	struct explorer *e = context;
	bool fresh;
	uint64_t *number = map_put(&e->numbers, engine_state, &fresh);

	if (fresh && e->states.count == AUTOMATON_STATES) {
		e->too_many = true;
		return DECISION_FALSE;
	}
	if (fresh) {
		*number = e->states.count;
		*vec_push(&e->states) = (struct explored){ .engine_state = engine_state };
	}
	return decision_leaf(e->engine->decisions, (uint32_t)*number);
}

static bool explore(struct explorer *e, struct err *err)
{
	const struct automaton_engine *engine = e->engine;
	struct decisions *d = engine->decisions;

	e->numbered = (struct decision_change){ .border = engine->atoms,
						.change = number_of,
						.context = e };
	number_of(e, engine->start);
	for (size_t i = 0; i < e->states.count && !e->too_many && !d->spent; i++) {
		uint32_t state = e->states.items[i].engine_state, next;

		next = decision_exchange(d, &e->numbered, engine->step(engine->self, state));
		e->states.items[i].next = next;
		e->states.items[i].accepts = engine->accepts(engine->self, state);
	}
	if (e->too_many)
		return err_set(err, "its automaton has more than %u states", AUTOMATON_STATES);
	if (d->spent)
		return err_set(err, "its automaton takes too much work to build");
	return true;
}

/* ---- classes of states ----------------------------------------------------------------------- */

struct classes {
	const struct explorer *e;
	uint32_t *of; /* class of each state */
	uint32_t count;
	uint64_t moves;
};

static uint32_t class_of_leaf(void *context, uint32_t leaf)
{
	struct classes *c = context;
	struct decisions *d = c->e->engine->decisions;

	return decision_leaf(d, c->of[d->nodes.items[leaf].low]);
}

/* Splits classes once. Returns false if no class was split. */
static bool split(struct classes *c)
{
	const struct explorer *e = c->e;
	struct decisions *d = e->engine->decisions;
	struct decision_change change = { .border = e->engine->atoms,
					  .change = class_of_leaf,
					  .context = c };
	uint32_t *fresh = mem_zalloc(e->states.count, sizeof *fresh), count = 0, before = c->count;
	struct map found = { 0 };

	for (size_t i = 0; i < e->states.count; i++) {
		uint64_t next = decision_exchange(d, &change, e->states.items[i].next);
		bool is_new;
		uint64_t *number = map_put(&found, next << 32 | c->of[i], &is_new);

		if (is_new)
			*number = count++;
		fresh[i] = (uint32_t)*number;
	}
	c->moves += change.known.count + e->states.count;
	map_free(&change.known);
	map_free(&found);
	if (!d->spent)
		memcpy(c->of, fresh, e->states.count * sizeof *fresh);
	c->count = d->spent ? before : count;
	free(fresh);
	return !d->spent && count > before;
}

/* Makes each state its own class. Used if minimising would take too long. */
static void keep_all(struct classes *c)
{
	for (uint32_t i = 0; i < c->e->states.count; i++)
		c->of[i] = i;
	c->count = (uint32_t)c->e->states.count;
}

static void minimise(struct classes *c)
{
	const struct explorer *e = c->e;

	c->of = mem_zalloc(e->states.count, sizeof *c->of);
	c->count = 1;
	for (size_t i = 0; i < e->states.count; i++) {
		c->of[i] = e->states.items[i].accepts != e->states.items[0].accepts;
		c->count |= c->of[i] << 1;
	}
	c->count = c->count > 1 ? 2 : 1;
	while (split(c))
		if (c->moves > MOST_MOVES) {
			keep_all(c);
			return;
		}
	if (e->engine->decisions->spent)
		keep_all(c);
}

/* ---- the result, with its own diagrams ------------------------------------------------------- */

struct copier {
	const struct classes *classes;
	struct automaton *to;
	uint32_t *number;  /* by class: 1 + its number in the result; 0: none yet */
	VEC(uint32_t) one; /* by number in the result: one state of the class */
	struct map known;
};

static uint32_t copied_state(struct copier *c, uint32_t state)
{
	uint32_t class = c->classes->of[state];

	if (!c->number[class]) {
		*vec_push(&c->one) = state;
		c->number[class] = (uint32_t)c->one.count;
	}
	return c->number[class] - 1;
}

static uint32_t copied(struct copier *c, uint32_t node)
{
	struct decision_node n = c->classes->e->engine->decisions->nodes.items[node];
	const uint64_t *known = map_get(&c->known, node);
	uint32_t made, low;

	if (known)
		return (uint32_t)*known;
	if (n.variable == DECISION_LEAF) {
		made = decision_leaf(&c->to->decisions, copied_state(c, n.low));
	} else {
		low = copied(c, n.low);
		made = decision_node(&c->to->decisions, n.variable, low, copied(c, n.high));
	}
	*map_put(&c->known, node, NULL) = made;
	return made;
}

static void copy(const struct classes *classes, struct automaton *to)
{
	struct copier c = { .classes = classes, .to = to };

	c.number = mem_zalloc(classes->count, sizeof *c.number);
	copied_state(&c, 0);
	for (size_t i = 0; i < c.one.count; i++) {
		const struct explored *from = &classes->e->states.items[c.one.items[i]];
		uint32_t next = copied(&c, from->next);

		*vec_push(&to->states) =
			(struct automaton_state){ .next = next, .accepts = from->accepts };
	}
	assert(!to->decisions.spent);
	free(c.number);
	vec_free(&c.one);
	map_free(&c.known);
}

/* ---- bad and safe ---------------------------------------------------------------------------- */

struct automaton_edge {
	/* next: 1 + index of the next edge with the same target; 0: none */
	uint32_t to, from, next;
};
struct backward {
	VEC(struct automaton_edge) edges;
	uint32_t *last; /* by target: 1 + index of its last edge; 0: none */
};

static void add_leaves(const struct automaton *a, struct backward *b, uint32_t from, uint32_t node,
		       struct map *seen)
{
	struct decision_node n = a->decisions.nodes.items[node];
	bool fresh;

	map_put(seen, node, &fresh);
	if (!fresh)
		return;
	if (n.variable == DECISION_LEAF) {
		*vec_push(&b->edges) = (struct automaton_edge){ n.low, from, b->last[n.low] };
		b->last[n.low] = (uint32_t)b->edges.count;
		return;
	}
	add_leaves(a, b, from, n.low, seen);
	add_leaves(a, b, from, n.high, seen);
}

/* Returns, by state, whether any word leads from it to a state whose `accepts` has this value. */
static bool *lead_to(const struct automaton *a, const struct backward *b, bool accepts)
{
	bool *leads = mem_zalloc(a->states.count, sizeof *leads);
	VEC(uint32_t) todo = { 0 };

	for (uint32_t i = 0; i < a->states.count; i++)
		if (a->states.items[i].accepts == accepts) {
			leads[i] = true;
			*vec_push(&todo) = i;
		}
	while (todo.count)
		for (uint32_t i = b->last[todo.items[--todo.count]]; i;
		     i = b->edges.items[i - 1].next) {
			uint32_t from = b->edges.items[i - 1].from;

			if (!leads[from])
				*vec_push(&todo) = from;
			leads[from] = true;
		}
	vec_free(&todo);
	return leads;
}

static void judge(struct automaton *a)
{
	struct backward b = { .last = mem_zalloc(a->states.count, sizeof *b.last) };
	bool *good, *wrong;

	for (uint32_t i = 0; i < a->states.count; i++) {
		struct map seen = { 0 };

		add_leaves(a, &b, i, a->states.items[i].next, &seen);
		map_free(&seen);
	}
	good = lead_to(a, &b, true);
	wrong = lead_to(a, &b, false);
	for (size_t i = 0; i < a->states.count; i++) {
		a->states.items[i].bad = !good[i];
		a->states.items[i].safe = !wrong[i];
	}
	vec_free(&b.edges);
	free(b.last);
	free(good);
	free(wrong);
}

bool automaton_build(struct automaton *a, const struct automaton_engine *engine, struct err *err)
{
	struct explorer e = { .engine = engine };
	struct classes classes = { .e = &e };
	bool built = explore(&e, err);

	*a = (struct automaton){ .atoms = engine->atoms };
	if (built) {
		decisions_open(&a->decisions);
		minimise(&classes);
		copy(&classes, a);
		judge(a);
	}
	free(classes.of);
	vec_free(&e.states);
	map_free(&e.numbers);
	map_free(&e.numbered.known);
	return built;
}

void automaton_free(struct automaton *a)
{
	vec_free(&a->states);
	decisions_close(&a->decisions);
}
