/*
 * Tests witnesses: random models with every kind of constraint, made by running random threads, and
 * another feasible prefix of each, found by trying. The witness made from it must be feasible,
 * contain what is required, and not be longer. Small models by hand show what is dropped and how
 * the rest is ordered.
 */
#include "model_make.h"

#include "witness/witness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static uint32_t count_switches(const struct order_model *model, const uint32_t *nodes, size_t count)
{
	uint32_t switches = 0;

	for (size_t i = 1; i < count; i++)
		switches += model->thread.items[nodes[i]] != model->thread.items[nodes[i - 1]];
	return switches;
}

static void check_witness(const struct order_model *model, const struct order_solution *solution,
			  const uint32_t *required, bool keep_all, witness_nodes *out)
{
	uint32_t kept[MAKE_THREADS] = { 0 };

	out->count = 0;
	witness_make(model, solution, keep_all ? NULL : required, NULL, 0, out);
	assert_true(order_model_accepts(model, out->items, (uint32_t)out->count));
	for (size_t i = 0; i < out->count; i++)
		kept[model->thread.items[out->items[i]]]++;
	for (uint32_t t = 0; t < model->thread_count; t++)
		assert_true(kept[t] >= required[t]);
	if (keep_all)
		assert_int_equal(out->count, solution->count);
	assert_true(out->count <= solution->count);
}

static void random_models(void **state)
{
	uint64_t nodes = 0, kept = 0, switches = 0, left = 0;
	witness_nodes out = { 0 };

	(void)state;
	for (uint32_t round = 0; round < 4000; round++) {
		struct order_model model;
		uint32_t inside[64], required[MAKE_THREADS], whole[MAKE_THREADS] = { 0 };
		struct order_solution solution = { .inside = inside };

		make_seed = round;
		make_model(&model, 4 + make_pick(40));
		for (uint32_t i = 0; i < model.node_count; i++)
			inside[i] = i;
		assert_true(order_model_accepts(&model, inside, model.node_count));
		solution.count = make_prefix(&model, inside);
		for (uint32_t i = 0; i < solution.count; i++)
			whole[model.thread.items[inside[i]]]++;
		for (uint32_t t = 0; t < MAKE_THREADS; t++)
			required[t] = make_one_in(2) ? 0 : make_pick(whole[t] + 1);
		check_witness(&model, &solution, required, false, &out);
		kept += out.count;
		check_witness(&model, &solution, whole, false, &out);
		assert_int_equal(out.count, solution.count);
		check_witness(&model, &solution, whole, true, &out);
		nodes += solution.count;
		switches += count_switches(&model, inside, solution.count);
		left += count_switches(&model, out.items, out.count);
		order_model_free(&model);
	}
	vec_free(&out);
	/*
	 * random prefixes switch threads at almost each node, and half of their nodes are not
	 * needed
	 */
	assert_true(nodes > 4000 * 10);
	assert_true(kept * 3 < nodes * 2);
	assert_true(left * 3 < switches * 2);
}

/* ---- by hand --------------------------------------------------------------------------------- */

static void start_model(struct order_model *model, const char *threads)
{
	*model = (struct order_model){ 0 };
	for (const char *t = threads; *t; t++) {
		uint32_t thread = (uint32_t)(*t - '0');

		*vec_push(&model->thread) = thread;
		model->node_count++;
		if (model->thread_count <= thread)
			model->thread_count = thread + 1;
	}
	order_model_index(model);
}

static void add_cell(struct order_model *model, uint32_t write, uint32_t read)
{
	*vec_push(&model->cells) = (struct order_cell){ 0, (uint32_t)model->writes.count, 1,
							(uint32_t)model->reads.count, 1 };
	*vec_push(&model->writes) = (struct order_write){ write, 1 };
	*vec_push(&model->reads) = (struct order_read){ read, 1, ORDER_ANY };
}

/*
 * Expects the witness for the recorded order, if `a`, `b` and `c` nodes of the three threads are
 * required.
 */
static void expect(struct order_model *model, uint32_t a, uint32_t b, uint32_t c,
		   const uint32_t *nodes, size_t count)
{
	uint32_t inside[64], required[MAKE_THREADS] = { a, b, c };
	struct order_solution solution = { inside, model->node_count };
	witness_nodes out = { 0 };

	for (uint32_t i = 0; i < model->node_count; i++)
		inside[i] = i;
	check_witness(model, &solution, required, false, &out);
	assert_int_equal(out.count, count);
	if (count)
		assert_memory_equal(out.items, nodes, count * sizeof *nodes);
	vec_free(&out);
	order_model_free(model);
}

/* Thread 1 reads a value that thread 0 wrote; thread 2 is unrelated. */
static void keeps_writers(void **state)
{
	struct order_model model;

	(void)state;
	start_model(&model, "021021");
	add_cell(&model, 0, 2);
	expect(&model, 0, 1, 0, (uint32_t[]){ 0, 2 }, 2);
	start_model(&model, "021021");
	add_cell(&model, 0, 2);
	expect(&model, 0, 0, 0, NULL, 0);
}

/*
 * A section is finished only if another thread enters a section after it. Then everything before
 * its release stays: here a read of thread 0, and the write of thread 2 that it reads.
 */
static void leaves_sections(void **state)
{
	struct order_model model;

	(void)state;
	for (int both = 0; both < 2; both++) {
		/* 0: acquire; 2: write; 0: read, release; 1: acquire */
		start_model(&model, "02001");
		add_cell(&model, 1, 2);
		*vec_push(&model.sections) = (struct order_section){ 0, 3, 0, false };
		*vec_push(&model.sections) = (struct order_section){ 4, ORDER_NONE, 1, false };
		*vec_push(&model.locks) = (struct order_lock){ 0, 2, 0, 0 };
		if (both)
			expect(&model, 1, 1, 0, (uint32_t[]){ 1, 0, 2, 3, 4 }, 5);
		else
			expect(&model, 0, 1, 0, (uint32_t[]){ 4 }, 1);
	}
}

/* A section that began before the window is finished before the next one is entered. */
static void leaves_open_sections(void **state)
{
	struct order_model model;

	(void)state;
	start_model(&model, "201");
	*vec_push(&model.sections) = (struct order_section){ ORDER_NONE, 1, 0, true };
	*vec_push(&model.sections) = (struct order_section){ 2, ORDER_NONE, 1, false };
	*vec_push(&model.locks) = (struct order_lock){ 0, 2, 0, 0 };
	expect(&model, 0, 1, 0, (uint32_t[]){ 1, 2 }, 2);
}

/* A woken wait keeps one signal in the witness, and a second wait another one. */
static void keeps_signals(void **state)
{
	struct order_model model;

	(void)state;
	start_model(&model, "012212");
	*vec_push(&model.waits) =
		(struct order_wait){ .wait = 0, .woken = ORDER_NONE, .wake = ORDER_WAKE_SIGNAL };
	*vec_push(&model.waits) =
		(struct order_wait){ .wait = 1, .woken = 4, .wake = ORDER_WAKE_SIGNAL };
	*vec_push(&model.signals) = (struct order_signal){ 2, false };
	*vec_push(&model.signals) = (struct order_signal){ 3, false };
	*vec_push(&model.signals) = (struct order_signal){ 5, false };
	*vec_push(&model.conditions) = (struct order_condition){ 0, 2, 0, 3 };
	expect(&model, 0, 2, 0, (uint32_t[]){ 1, 2, 4 }, 3);

	start_model(&model, "012301");
	*vec_push(&model.waits) =
		(struct order_wait){ .wait = 0, .woken = 4, .wake = ORDER_WAKE_SIGNAL };
	*vec_push(&model.waits) =
		(struct order_wait){ .wait = 1, .woken = 5, .wake = ORDER_WAKE_SIGNAL };
	*vec_push(&model.signals) = (struct order_signal){ 2, false };
	*vec_push(&model.signals) = (struct order_signal){ 3, false };
	*vec_push(&model.conditions) = (struct order_condition){ 0, 2, 0, 2 };
	expect(&model, 2, 2, 0, (uint32_t[]){ 0, 1, 2, 3, 4, 5 }, 6);
}

/* A thread continues as long as nothing stops it. */
static void few_switches(void **state)
{
	struct order_model model;

	(void)state;
	start_model(&model, "01010101");
	add_cell(&model, 2, 5);
	expect(&model, 4, 4, 0, (uint32_t[]){ 0, 2, 4, 6, 1, 3, 5, 7 }, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_models),   cmocka_unit_test(keeps_writers),
		cmocka_unit_test(leaves_sections), cmocka_unit_test(leaves_open_sections),
		cmocka_unit_test(keeps_signals),   cmocka_unit_test(few_switches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
