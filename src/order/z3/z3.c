/*
 * Decides a query with Z3. The whole model and query are written as difference logic, with one
 * integer for each node and one for the cut, as in GPredict (§III.B). All constraints are written
 * before the search; the native solver adds a constraint only when an order violates it.
 *
 * Order literals are strict and never negated: "not a before b" is written "b before a". So two
 * nodes with the same number are harmless: a true formula stays true however the tie is broken, and
 * no distinctness constraint is needed.
 *
 * Nodes that cannot matter to the query are not written (order/z3/cone.h).
 */
#include "order/z3/z3.h"

#include "base/mem.h"
#include "base/sort.h"
#include "order/z3/z3_writer.h"

#include <assert.h>

static void set_parameter(struct z3_writer *w, const char *name, unsigned value)
{
	Z3_params params = Z3_mk_params(w->z3);

	Z3_params_inc_ref(w->z3, params);
	Z3_params_set_uint(w->z3, params, Z3_mk_string_symbol(w->z3, name), value);
	Z3_solver_set_params(w->z3, w->solver, params);
	Z3_params_dec_ref(w->z3, params);
}

/*
 * Z3's simple solver with the Bellman-Ford theory of difference logic. On race queries in windows
 * of 1,000 events (bench/solver.c) it is ten times faster than Z3's own choice for QF_IDL, and
 * three to ten times faster than Z3's Floyd-Warshall and simplex theories.
 */
static void open_solver(struct z3_writer *w)
{
	Z3_config config = Z3_mk_config();

	w->z3 = Z3_mk_context(config);
	Z3_del_config(config);
	w->integer = Z3_mk_int_sort(w->z3);
	w->boolean = Z3_mk_bool_sort(w->z3);
	w->solver = Z3_mk_simple_solver(w->z3);
	Z3_solver_inc_ref(w->z3, w->solver);
	set_parameter(w, "arith.solver", 1);
}

static void write_query(struct z3_writer *w)
{
	const struct order_query *query = w->query;

	for (size_t i = 0; i < query->atoms.count; i++)
		if (query->atoms.items[i].before == ORDER_NONE)
			w->booleans[i + 1] = z3_make_boolean(w);
	for (size_t i = 0; i < query->clauses.count; i++)
		if (query->clauses.items[i])
			z3_add_literal(w, query->clauses.items[i]);
		else
			z3_end_clause(w);
}

static Z3_lbool check_solver(struct z3_writer *w)
{
	if (w->over)
		return Z3_L_UNDEF;
	if (w->deadline != UINT64_MAX) {
		uint64_t now = z3_now(), left = w->deadline > now ? w->deadline - now : 0;

		set_parameter(w, "timeout", (unsigned)(left / 1000000) + 1);
	}
	return Z3_solver_check(w->z3, w->solver);
}

struct node_moment {
	int64_t moment;
	uint32_t node;
};

SORT_COMPARISON(by_moment, struct node_moment, a, b,
		sort_order(a->moment, b->moment) ?: sort_order(a->node, b->node))

static int64_t read_moment(struct z3_writer *w, Z3_model solution, Z3_ast ast)
{
	Z3_ast value;
	int64_t number = 0;
	bool known = Z3_model_eval(w->z3, solution, ast, true, &value) &&
		     Z3_get_numeral_int64(w->z3, value, &number);

	assert(known);
	return number;
}

static void read_solution(struct z3_writer *w, uint32_t **inside, uint32_t *count)
{
	Z3_model solution = Z3_solver_get_model(w->z3, w->solver);
	VEC(struct node_moment) list = { 0 };
	int64_t cut;

	Z3_model_inc_ref(w->z3, solution);
	cut = read_moment(w, solution, w->cut);
	for (uint32_t n = 0; n < w->model->node_count; n++)
		if (z3_can_be_inside(w, n)) {
			int64_t moment = read_moment(w, solution, w->moment[n]);

			if (moment < cut)
				*vec_push(&list) = (struct node_moment){ moment, n };
		}
	Z3_model_dec_ref(w->z3, solution);
	vec_sort(&list, by_moment);
	*count = (uint32_t)list.count;
	*inside = mem_zalloc(list.count + 1, sizeof **inside);
	for (size_t i = 0; i < list.count; i++)
		(*inside)[i] = list.items[i].node;
	vec_free(&list);
	assert(order_model_accepts(w->model, *inside, *count));
}

static enum order_answer write_and_check(struct z3_writer *w, uint32_t **inside, uint32_t *count)
{
	enum order_answer answer = ORDER_UNKNOWN;

	open_solver(w);
	w->moment = mem_zalloc(w->model->node_count + 1, sizeof *w->moment);
	w->booleans = mem_zalloc(w->query->atoms.count + 1, sizeof *w->booleans);
	z3_write_edges(w);
	write_query(w);
	z3_write_reads(w);
	z3_write_locks(w);
	z3_write_semaphores(w);
	z3_write_conditions(w);
	switch (check_solver(w)) {
	case Z3_L_TRUE:
		answer = ORDER_POSSIBLE;
		read_solution(w, inside, count);
		break;
	case Z3_L_FALSE: answer = ORDER_IMPOSSIBLE; break;
	case Z3_L_UNDEF: break;
	}
	Z3_solver_dec_ref(w->z3, w->solver);
	Z3_del_context(w->z3);
	vec_free(&w->literals);
	free(w->moment);
	free(w->booleans);
	return answer;
}

enum order_answer order_solve_z3(const struct order_model *model, const struct order_clock *clock,
				 const struct order_query *query, unsigned milliseconds,
				 uint32_t **inside, uint32_t *count)
{
	struct z3_writer w = { .model = model, .clock = clock, .query = query };
	enum order_answer answer = ORDER_IMPOSSIBLE;

	*inside = NULL;
	*count = 0;
	w.deadline = milliseconds ? z3_now() + (uint64_t)milliseconds * 1000000 : UINT64_MAX;
	if (order_cone_make(&w.cone, model, clock, query))
		answer = write_and_check(&w, inside, count);
	order_cone_free(&w.cone);
	return answer;
}
