/* Builds clauses for Z3 (z3_writer.h). Does not write literals whose truth is already known. */
#include "order/z3/z3_writer.h"

#include "base/mem.h"

#include <assert.h>
#include <time.h>

/* Writing stops at this number of literals, as if out of time. They take some gigabytes in Z3. */
#define LITERALS_MAX 30000000

uint64_t z3_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

enum z3_truth z3_known_order(const struct z3_writer *w, uint32_t a, uint32_t b)
{
	const struct order_cone *cone = &w->cone;

	if (a == b)
		return Z3_NEVER;
	if (a == ORDER_CUT)
		return order_cone_outside(cone, b)  ? Z3_ALWAYS
		       : order_cone_inside(cone, b) ? Z3_NEVER
						    : Z3_OPEN;
	if (b == ORDER_CUT)
		return order_cone_inside(cone, a)    ? Z3_ALWAYS
		       : order_cone_outside(cone, a) ? Z3_NEVER
						     : Z3_OPEN;
	if (order_clock_before(w->clock, w->model, a, b) ||
	    (order_cone_inside(cone, a) && order_cone_outside(cone, b)))
		return Z3_ALWAYS;
	if (order_clock_before(w->clock, w->model, b, a) ||
	    (order_cone_inside(cone, b) && order_cone_outside(cone, a)))
		return Z3_NEVER;
	return Z3_OPEN;
}

Z3_ast z3_moment(const struct z3_writer *w, uint32_t node)
{
	Z3_ast ast = node == ORDER_CUT ? w->cut : w->moment[node];

	assert(ast);
	return ast;
}

void z3_add(struct z3_writer *w, Z3_ast literal)
{
	*vec_push(&w->literals) = literal;
}

void z3_add_not(struct z3_writer *w, Z3_ast literal)
{
	z3_add(w, Z3_mk_not(w->z3, literal));
}

void z3_add_before(struct z3_writer *w, uint32_t a, uint32_t b)
{
	switch (z3_known_order(w, a, b)) {
	case Z3_ALWAYS: w->satisfied = true; break;
	case Z3_NEVER: break;
	case Z3_OPEN: z3_add(w, Z3_mk_lt(w->z3, z3_moment(w, a), z3_moment(w, b))); break;
	}
}

void z3_add_literal(struct z3_writer *w, int32_t literal)
{
	uint32_t number = (uint32_t)(literal < 0 ? -(int64_t)literal : literal);
	struct order_atom atom = w->query->atoms.items[number - 1];

	if (atom.before == ORDER_NONE) {
		if (literal > 0)
			z3_add(w, w->booleans[number]);
		else
			z3_add_not(w, w->booleans[number]);
	} else if (literal > 0) {
		z3_add_before(w, atom.before, atom.after);
	} else {
		z3_add_before(w, atom.after, atom.before);
	}
}

void z3_end_clause(struct z3_writer *w)
{
	unsigned count = (unsigned)w->literals.count;

	if (!w->satisfied && !w->over) {
		Z3_solver_assert(w->z3, w->solver,
				 count == 1 ? w->literals.items[0]
				 : count    ? Z3_mk_or(w->z3, count, w->literals.items)
					    : Z3_mk_false(w->z3));
		w->written += count + 1;
		if (w->written > LITERALS_MAX || z3_now() > w->deadline)
			w->over = true;
	}
	w->literals.count = 0;
	w->satisfied = false;
}

Z3_ast z3_make_boolean(struct z3_writer *w)
{
	return Z3_mk_fresh_const(w->z3, "b", w->boolean);
}

void z3_write_choice_implies(struct z3_writer *w, Z3_ast choice, uint32_t a, uint32_t b)
{
	z3_add_not(w, choice);
	z3_add_before(w, a, b);
	z3_end_clause(w);
}

void z3_write_at_most(struct z3_writer *w, const Z3_ast *literals, uint32_t count, uint32_t limit)
{
	Z3_ast *at_least = mem_zalloc(limit + 1, sizeof *at_least); /* NULL: too few so far */

	for (uint32_t i = 0; i < count && !w->over; i++)
		for (uint32_t k = i < limit ? i : limit; k != UINT32_MAX; k--) {
			Z3_ast now = k < limit ? z3_make_boolean(w) : NULL;

			if (now && at_least[k]) {
				z3_add_not(w, at_least[k]);
				z3_add(w, now);
				z3_end_clause(w);
			}
			z3_add_not(w, literals[i]);
			if (k > 0)
				z3_add_not(w, at_least[k - 1]);
			if (now)
				z3_add(w, now);
			z3_end_clause(w);
			if (now)
				at_least[k] = now;
		}
	free(at_least);
}
