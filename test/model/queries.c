/*
 * queries [--count N] [--seed N]
 *
 * Gives the same random queries to our solver and to Z3: models with all kinds of constraints (5 to
 * 60 nodes), and races in generated traces (100 to 400 events). The answers must be equal, and a
 * returned order must be valid. A query with different answers is shrunk and printed.
 */
#include "queries_random.h"
#include "queries_sketch.h"

#include "../../bench/solver_trace.h"
#include "order/z3/z3.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#define LIMIT 60000 /* milliseconds for Z3; has never been reached */

struct total {
	uint64_t asked, answers[3], wrong;
};

/* ---- is it an answer? ---------------------------------------------------------------------- */

/*
 * Returns the moment of each node: 1 + position for a node inside, then the cut, and one common
 * later moment for all nodes outside.
 */
static uint32_t *place(const struct order_model *model, const uint32_t *inside, uint32_t count)
{
	uint32_t *at = malloc((model->node_count + 1) * sizeof *at);

	for (uint32_t n = 0; n < model->node_count; n++)
		at[n] = model->node_count + 2;
	for (uint32_t i = 0; i < count; i++)
		at[inside[i]] = i + 1;
	return at;
}

/*
 * May the literal hold? The answer contains neither the order of nodes outside nor the values of
 * booleans.
 */
static bool may_hold(const struct order_model *model, const struct order_query *query,
		     const uint32_t *at, int32_t literal)
{
	struct order_atom atom = query->atoms.items[abs(literal) - 1];
	uint32_t a = literal > 0 ? atom.before : atom.after;
	uint32_t b = literal > 0 ? atom.after : atom.before;
	uint32_t cut = model->node_count + 1;

	if (a == ORDER_NONE)
		return true;
	a = a == ORDER_CUT ? cut : at[a];
	b = b == ORDER_CUT ? cut : at[b];
	return a < b || (a == b && a > cut);
}

static bool is_answer(const struct order_model *model, const struct order_query *query,
		      const uint32_t *inside, uint32_t count)
{
	uint32_t *at = place(model, inside, count);
	bool good = order_model_accepts(model, inside, count), some = false;

	for (size_t i = 0; i < query->clauses.count; i++) {
		int32_t literal = query->clauses.items[i];

		if (literal) {
			some |= may_hold(model, query, at, literal);
			continue;
		}
		good &= some;
		some = false;
	}
	free(at);
	return good;
}

/* ---- one question -------------------------------------------------------------------------- */

enum verdict { SAME, DIFFERENT, WRONG_NATIVE, WRONG_Z3, OPEN };

static enum verdict compare(const struct order_model *model, const struct order_query *query,
			    enum order_answer *native, enum order_answer *z3)
{
	struct order_clock clock;
	struct order_solver *solver;
	struct order_solution solution;
	uint32_t *inside, count;
	enum verdict verdict = SAME;

	order_clock_make(&clock, model);
	solver = order_solver_open(model, &clock);
	*native = order_solve(solver, query, 0, &solution);
	if (*native == ORDER_POSSIBLE && !is_answer(model, query, solution.inside, solution.count))
		verdict = WRONG_NATIVE;
	order_solver_close(solver);
	*z3 = order_solve_z3(model, &clock, query, LIMIT, &inside, &count);
	if (*z3 == ORDER_POSSIBLE && !is_answer(model, query, inside, count))
		verdict = WRONG_Z3;
	free(inside);
	order_clock_free(&clock);
	if (verdict == SAME && (*native == ORDER_UNKNOWN || *z3 == ORDER_UNKNOWN))
		verdict = OPEN;
	if (verdict == SAME && *native != *z3)
		verdict = DIFFERENT;
	return verdict;
}

static enum verdict judge(const struct sketch *sketch, enum order_answer *native,
			  enum order_answer *z3)
{
	struct order_model model;
	struct order_query query;
	enum verdict verdict;

	sketch_build(sketch, &model, &query);
	verdict = compare(&model, &query, native, z3);
	order_model_free(&model);
	order_query_free(&query);
	return verdict;
}

/* ---- shrinking ----------------------------------------------------------------------------- */

/* Replaces the sketch by `smaller` if that fails in the same way. */
static bool still_fails(struct sketch *sketch, struct sketch *smaller, enum verdict verdict)
{
	enum order_answer native, z3;

	if (judge(smaller, &native, &z3) != verdict) {
		sketch_free(smaller);
		return false;
	}
	sketch_free(sketch);
	*sketch = *smaller;
	return true;
}

static void shrink(struct sketch *sketch, enum verdict verdict)
{
	struct sketch smaller;
	bool more = true;

	while (more) {
		more = false;
		for (size_t n = sketch->nodes.count; n-- > 0;) {
			sketch_copy(&smaller, sketch);
			sketch_drop_node(&smaller, (uint32_t)n);
			more |= still_fails(sketch, &smaller, verdict);
		}
		for (size_t i = sketch->facts.count; i-- > 0;) {
			if (i >= sketch->facts.count)
				continue;
			sketch_copy(&smaller, sketch);
			sketch_drop_fact(&smaller, i);
			more |= still_fails(sketch, &smaller, verdict);
		}
	}
}

static void show(struct sketch *sketch, enum verdict verdict, uint64_t seed)
{
	static const char *const verdicts[] = { "same", "different answers", "our order is none",
						"Z3's order is none", "not decided" };
	static const char *const answers[] = { "impossible", "possible", "unknown" };
	enum order_answer native, z3;

	shrink(sketch, verdict);
	judge(sketch, &native, &z3);
	printf("\nseed %llu: %s; ours: %s, Z3: %s\n", (unsigned long long)seed, verdicts[verdict],
	       answers[native], answers[z3]);
	sketch_print(sketch);
	fflush(stdout);
}

/* ---- many ---------------------------------------------------------------------------------- */

static void ask(struct sketch *sketch, uint64_t seed, struct total *total)
{
	enum order_answer native, z3;
	enum verdict verdict = judge(sketch, &native, &z3);

	total->asked++;
	total->answers[z3]++;
	if (verdict != SAME) {
		total->wrong++;
		show(sketch, verdict, seed);
	}
	sketch_free(sketch);
}

static void ask_random(uint64_t seed, struct total *total)
{
	uint64_t random = seed * 0x9e3779b97f4a7c15u + 88172645463325252u;
	struct sketch sketch;

	for (int i = 0; i < 10; i++)
		solver_trace_random(&random);
	queries_make(&sketch, 5 + (uint32_t)(solver_trace_random(&random) >> 20) % 56, &random);
	ask(&sketch, seed, total);
}

/* Asks about ten pairs of one trace, as separate queries. */
static void ask_trace(uint64_t seed, struct total *total, uint64_t end)
{
	struct solver_shape shape = { .events = 100 + (uint32_t)(seed % 4) * 100,
				      .threads = 3 + (uint32_t)(seed / 4 % 4),
				      .variables = 10 + (uint32_t)(seed / 16 % 3) * 15,
				      .locks = 3,
				      .enter = 0.2,
				      .change = 0.1,
				      .small = seed / 48 % 2 ? 0.5 : 0.95 };
	struct solver_trace trace;
	struct solver_pair pairs[10];
	struct order_query query = { 0 };
	uint32_t count;

	solver_trace_make(&trace, &shape, seed);
	count = solver_trace_pairs(&trace, pairs, 10);
	for (uint32_t i = 0; i < count && total->asked < end; i++) {
		struct sketch sketch;

		solver_trace_ask(&trace, pairs[i], &query);
		sketch_take(&sketch, &trace.model, &query);
		ask(&sketch, seed, total);
	}
	order_query_free(&query);
	solver_trace_free(&trace);
}

int main(int argc, char **argv)
{
	static const struct option names[] = { { "count", required_argument, NULL, 'c' },
					       { "seed", required_argument, NULL, 's' },
					       { 0 } };
	uint64_t count = 5000, seed = 1;
	struct total total = { 0 };
	int option;

	while ((option = getopt_long(argc, argv, "", names, NULL)) != -1)
		switch (option) {
		case 'c': count = strtoull(optarg, NULL, 10); break;
		case 's': seed = strtoull(optarg, NULL, 10); break;
		default: return 2;
		}
	/* one fifth of the queries are races in traces */
	for (uint64_t i = seed; total.asked < count && total.wrong < 5; i++) {
		ask_random(i, &total);
		if (i % 40 == 0)
			ask_trace(i, &total, count);
	}
	printf("%llu questions: %llu possible, %llu impossible, %llu not decided by Z3; %llu "
	       "wrong\n",
	       (unsigned long long)total.asked, (unsigned long long)total.answers[ORDER_POSSIBLE],
	       (unsigned long long)total.answers[ORDER_IMPOSSIBLE],
	       (unsigned long long)total.answers[ORDER_UNKNOWN], (unsigned long long)total.wrong);
	return total.wrong ? 1 : 0;
}
