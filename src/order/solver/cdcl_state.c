/*
 * The state of the search: which clauses of the problem hold, updated when the order changes.
 *
 * Evaluating all clauses before each decision took 95 % of the time on hard queries. So each clause
 * that holds is listed under one literal that makes it true, and is evaluated again only when this
 * literal changes: when a boolean is assigned another value, or when a node of an order atom has
 * moved and the atom's value has changed.
 */
#include "order/solver/cdcl.h"

bool cdcl_holds(const struct cdcl *c, int32_t literal)
{
	const struct cdcl_variable *v;
	bool positive;

	if (literal == CDCL_TRUE || literal == CDCL_FALSE)
		return literal == CDCL_TRUE;
	v = cdcl_variable_of(c, literal);
	if (v->value)
		positive = v->value > 0;
	else if (v->is_order)
		positive = topo_order_before(c->total, v->before, v->after);
	else
		positive = v->phase > 0;
	return positive == (literal > 0);
}

/* Adds a clause to the list of a literal that makes it true, or to `violated`. */
static void file_clause(struct cdcl *c, uint32_t clause)
{
	const int32_t *literals = c->arena.items + clause + CDCL_LITERALS;
	int32_t size = c->arena.items[clause + CDCL_SIZE];

	for (int32_t i = 0; i < size; i++)
		if (cdcl_holds(c, literals[i])) {
			*vec_push(&c->supported[cdcl_watch_of(literals[i])]) = clause;
			return;
		}
	*vec_push(&c->violated) = clause;
}

/* Evaluates a variable. If its value has changed, evaluates the clauses listed under it, too. */
static void refresh_variable(struct cdcl *c, uint32_t number)
{
	struct cdcl_variable *v = &c->variables.items[number];
	bool now = cdcl_holds(c, (int32_t)number);
	cdcl_clauses *list;

	c->steps++;
	if (now == v->state)
		return;
	v->state = now;
	list = &c->supported[2 * number + now];
	for (size_t i = 0; i < list->count; i++)
		file_clause(c, list->items[i]);
	c->steps += list->count;
	list->count = 0;
}

static void refresh_changed_variables(struct cdcl *c)
{
	for (size_t i = 0; i < c->changed.count; i++)
		refresh_variable(c, c->changed.items[i]);
	c->changed.count = 0;
	for (size_t i = 0; i < c->total->moved.count; i++) {
		const cdcl_clauses *atoms = &c->atoms_of[c->total->moved.items[i]];

		for (size_t k = 0; k < atoms->count; k++)
			refresh_variable(c, atoms->items[k]);
	}
	topo_order_forget_moved(c->total);
}

/* Returns the distance that nodes must move to change the variable; 0 for recorded choices. */
static uint64_t distance_to_literal(const struct cdcl *c, const struct cdcl_variable *v)
{
	uint64_t a, b;

	if (!v->is_order && (v->preferred || v->before == ORDER_NONE || v->after == ORDER_NONE))
		return v->preferred ? 0 : UINT64_MAX;
	a = c->total->label[v->before];
	b = c->total->label[v->after];
	return a < b ? b - a : a - b;
}

/*
 * Chooses among the literals of the last few violated clauses: the literal with the highest
 * activity in recent conflicts; of equal ones, the literal that moves nodes the least.
 */
int32_t cdcl_pick_literal(struct cdcl *c)
{
	enum { CLAUSES_MAX = 20 };
	uint32_t looked_at[CLAUSES_MAX];
	size_t found = 0;
	int32_t best = 0;
	uint64_t best_distance = 0;

	refresh_changed_variables(c);
	while (c->violated.count && found < CLAUSES_MAX) {
		uint32_t number = c->violated.items[--c->violated.count];
		const int32_t *clause = c->arena.items + number;
		size_t before = c->violated.count;

		c->steps++;
		file_clause(c, number);
		if (c->violated.count == before)
			continue;
		looked_at[found++] = c->violated.items[--c->violated.count];
		for (int32_t j = 0; j < clause[CDCL_SIZE]; j++) {
			int32_t l = clause[CDCL_LITERALS + j];
			const struct cdcl_variable *v = cdcl_variable_of(c, l);
			double ahead;
			uint64_t far;

			if (v->value)
				continue;
			ahead = best ? v->activity - cdcl_variable_of(c, best)->activity : 1;
			far = distance_to_literal(c, v);
			if (ahead > 0 || (ahead == 0 && far < best_distance)) {
				best = l;
				best_distance = far;
			}
		}
	}
	while (found)
		*vec_push(&c->violated) = looked_at[--found];
	return best;
}
