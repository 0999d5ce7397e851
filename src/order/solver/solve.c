/*
 * The native solver. For each query it computes the recorded guess and searches. If the search has
 * too many conflicts, the solver saturates the closure and searches again.
 */
#include "order/solver/solve.h"
#include "base/mem.h"
#include "order/solver/lemma.h"
#include "order/solver/semaphore_mutex.h"
#include "order/solver/recorded_guess.h"

#include <assert.h>

/* Internal steps for each step of the caller's budget. An internal step takes about 50 ns. */
#define STEPS 2
/* The number of conflicts after which the closure is saturated. Most queries have no conflict. */
#define PATIENCE 30

struct order_solver {
	const struct order_model *model;
	struct order_model view; /* view of the model made by semaphore_mutex.h */
	bool *is_mutex;
	struct order_index index;
	struct topo_order total;
	struct cdcl cdcl;
	struct closure closure;
	struct recorded_guess guess;
	struct lemma lemma;
	struct order_counts counts;
	uint64_t patience;
	VEC(int32_t) atoms; /* the query's atoms as cdcl literals, from 1 */
	VEC(int32_t) clause;
	VEC(uint32_t) inside;
	VEC(struct order_edge) known;
};

struct order_solver *order_solver_open(const struct order_model *model,
				       const struct order_clock *clock)
{
	struct order_solver *s = mem_zalloc(1, sizeof *s);

	s->model = model;
	s->patience = PATIENCE;
	semaphore_mutex_view_make(&s->view, model, &s->is_mutex);
	order_index_make(&s->index, &s->view, clock, s->is_mutex);
	topo_order_make(&s->total, &s->index, &s->closure);
	cdcl_make(&s->cdcl, &s->total);
	closure_make(&s->closure, &s->index);
	recorded_guess_make(&s->guess, &s->index);
	lemma_make(&s->lemma, &s->index, &s->total, &s->cdcl, &s->closure);
	return s;
}

void order_solver_close(struct order_solver *s)
{
	lemma_free(&s->lemma);
	recorded_guess_free(&s->guess);
	closure_free(&s->closure);
	cdcl_free(&s->cdcl);
	topo_order_free(&s->total);
	order_index_free(&s->index);
	semaphore_mutex_view_free(&s->view, s->is_mutex);
	vec_free(&s->atoms);
	vec_free(&s->clause);
	vec_free(&s->inside);
	vec_free(&s->known);
	free(s);
}

void order_solver_set_patience(struct order_solver *s, uint64_t conflicts)
{
	s->patience = conflicts;
}

const struct order_counts *order_solver_counts(const struct order_solver *s)
{
	return &s->counts;
}

/* Passes to the closure which nodes are inside and outside by the query's unit clauses. */
static void require_units(struct order_solver *s, const struct order_query *query)
{
	struct order_atom atom;
	size_t at = 0;

	closure_reset(&s->closure);
	while (order_query_next_unit(query, &at, &atom))
		if (atom.before == ORDER_CUT)
			closure_require_outside(&s->closure, atom.after);
		else if (atom.after == ORDER_CUT)
			closure_require_inside(&s->closure, atom.before);
}

static uint32_t model_node(const struct order_solver *s, uint32_t node)
{
	assert(node == ORDER_CUT || node < s->model->node_count);
	return node == ORDER_CUT ? s->total.cut : node;
}

/* Adds the certain edges, without a reason. */
static void add_certain_edges(struct order_solver *s)
{
	const struct order_model *m = s->model;
	bool good = true;

	for (uint32_t t = 0; t < m->thread_count; t++) {
		const uint32_t *nodes = m->thread_nodes.items + m->thread_start.items[t];
		uint32_t count = m->thread_start.items[t + 1] - m->thread_start.items[t];

		if (s->closure.inside[t])
			good &= topo_order_add(&s->total, nodes[s->closure.inside[t] - 1],
					       s->total.cut, 0);
		if (s->closure.outside[t] < count)
			good &= topo_order_add(&s->total, s->total.cut,
					       nodes[s->closure.outside[t]], 0);
	}
	for (size_t i = 0; i < s->closure.edges.count && good; i++)
		good = topo_order_add(&s->total, s->closure.edges.items[i].from,
				      s->closure.edges.items[i].to, 0);
	assert(good);
}

static void add_query_clauses(struct order_solver *s, const struct order_query *query)
{
	s->atoms.count = 0;
	*vec_push(&s->atoms) = 0;
	for (size_t i = 0; i < query->atoms.count; i++) {
		struct order_atom a = query->atoms.items[i];

		*vec_push(&s->atoms) =
			a.before == ORDER_NONE
				? cdcl_boolean(&s->cdcl, ORDER_NONE, ORDER_NONE, false)
				: lemma_before(&s->lemma, model_node(s, a.before),
					       model_node(s, a.after));
	}
	lemma_reset(&s->lemma, query, s->atoms.items);
	s->clause.count = 0;
	for (size_t i = 0; i < query->clauses.count; i++) {
		int32_t literal = query->clauses.items[i];

		if (literal) {
			*vec_push(&s->clause) = lemma_literal_of_query(&s->lemma, literal);
			continue;
		}
		cdcl_add(&s->cdcl, s->clause.items, s->clause.count);
		s->clause.count = 0;
	}
}

static void read_answer(struct order_solver *s, struct order_solution *solution)
{
	s->inside.count = 0;
	for (uint32_t n = topo_order_first(&s->total); n != s->total.cut; n = s->total.next[n])
		*vec_push(&s->inside) = n;
	assert(order_model_accepts(s->model, s->inside.items, (uint32_t)s->inside.count));
	if (solution)
		*solution = (struct order_solution){ s->inside.items, (uint32_t)s->inside.count };
}

/* Searches from the recorded guess, with all edges and clauses that are certain so far. */
static enum cdcl_result search(struct order_solver *s, const struct order_query *query)
{
	recorded_guess_run(&s->guess, &s->closure);
	s->cdcl.steps += s->guess.steps;
	topo_order_reset(&s->total, s->guess.inside);
	cdcl_reset(&s->cdcl);
	add_certain_edges(s);
	add_query_clauses(s, query);
	for (;;) {
		enum cdcl_result result = cdcl_search(&s->cdcl);

		if (result != CDCL_SETTLED || lemma_check(&s->lemma))
			return result;
	}
}

/* Saturates the closure, starting from the orders that the search derived without any decision. */
static void saturate_closure(struct order_solver *s)
{
	uint64_t limit = UINT64_MAX;

	s->known.count = 0;
	cdcl_undo_all(&s->cdcl);
	for (size_t i = 0; i < s->cdcl.trail.count; i++) {
		int32_t literal = s->cdcl.trail.items[i];
		const struct cdcl_variable *v = cdcl_variable_of(&s->cdcl, literal);

		if (v->is_order)
			*vec_push(&s->known) = literal > 0
						       ? (struct order_edge){ v->before, v->after }
						       : (struct order_edge){ v->after, v->before };
	}
	if (s->cdcl.limit)
		limit = s->cdcl.steps < s->cdcl.limit ? s->cdcl.limit - s->cdcl.steps : 0;
	s->cdcl.steps += closure_saturate(&s->closure, s->known.items, s->known.count, limit);
}

static enum cdcl_result solve(struct order_solver *s, const struct order_query *query)
{
	enum cdcl_result result = CDCL_PAUSED;

	require_units(s, query);
	cdcl_reset(&s->cdcl);
	s->cdcl.pause = s->patience;
	if (s->patience && !s->closure.contradiction)
		result = search(s, query);
	if (result == CDCL_PAUSED && !s->closure.contradiction) {
		saturate_closure(s);
		s->cdcl.pause = 0;
		if (!s->closure.contradiction)
			result = search(s, query);
	}
	return s->closure.contradiction ? CDCL_CONTRADICTION : result;
}

static void count_answer(struct order_solver *s, enum order_answer result, uint64_t lemmas)
{
	struct order_counts *c = &s->counts;

	c->conflicts += s->cdcl.conflicts;
	c->decisions += s->cdcl.decisions;
	c->lemmas += s->lemma.lemmas - lemmas;
	c->moves = s->total.moves;
	if (result == ORDER_UNKNOWN)
		c->unknown++;
	else if (s->cdcl.decisions || s->cdcl.conflicts)
		c->by_search++;
	else if (result == ORDER_IMPOSSIBLE)
		c->by_saturation++;
	else if (s->lemma.lemmas > lemmas)
		c->by_greedy++;
	else
		c->by_projection++;
}

enum order_answer order_solve(struct order_solver *s, const struct order_query *query,
			      uint64_t budget, struct order_solution *solution)
{
	uint64_t lemmas = s->lemma.lemmas;
	enum order_answer result = ORDER_UNKNOWN;

	s->counts.queries++;
	s->cdcl.steps = s->cdcl.conflicts = s->cdcl.decisions = 0;
	s->cdcl.limit = budget * STEPS;
	switch (solve(s, query)) {
	case CDCL_SETTLED:
		read_answer(s, solution);
		result = ORDER_POSSIBLE;
		break;
	case CDCL_CONTRADICTION: result = ORDER_IMPOSSIBLE; break;
	case CDCL_OUT_OF_BUDGET:
	case CDCL_PAUSED: break;
	}
	count_answer(s, result, lemmas);
	return result;
}
