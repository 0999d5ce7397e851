/*
 * Witnesses: random models of every kind of constraint, made by running random threads; another
 * feasible prefix of each, found by trying; the witness made of it must be feasible, keep what is
 * required, and not be longer. Small ones by hand say what is dropped and how it is put in order.
 */
#include "base/mem.h"
#include "witness/witness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define THREADS 4
#define CELLS 3
#define LOCKS 2

static uint64_t seed;

static uint32_t pick(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

static bool one_in(uint32_t n)
{
	return pick(n) == 0;
}

/* ---- a model by running it ----------------------------------------------------------------- */

/* What belongs to each object, until it is put together. */
struct world {
	struct order_model *model;
	VEC(struct order_write) writes[CELLS];
	VEC(struct order_read) reads[CELLS];
	uint32_t value[CELLS], writer[CELLS];
	VEC(struct order_section) sections[LOCKS];
	VEC(struct order_fail) fails[LOCKS];
	/* by lock and thread: 1 + its open section */
	uint32_t open[LOCKS][THREADS];
	VEC(struct order_wait) waits;
	VEC(struct order_signal) signals;
	uint32_t waiting[THREADS]; /* 1 + its wait */
	bool woken[THREADS];	   /* it has its signal */
	uint32_t count, initial;
};

static uint32_t add_node(struct world *w, uint32_t thread)
{
	*vec_push(&w->model->thread) = thread;
	return w->model->node_count++;
}

static bool is_held(const struct world *w, uint32_t lock, uint32_t by_other_than, bool shared_too)
{
	for (uint32_t t = 0; t < THREADS; t++) {
		uint32_t section = w->open[lock][t];

		if (section && t != by_other_than &&
		    (shared_too || !w->sections[lock].items[section - 1].shared))
			return true;
	}
	return false;
}

static void enter(struct world *w, uint32_t lock, uint32_t thread, uint32_t node, bool shared)
{
	*vec_push(&w->sections[lock]) = (struct order_section){ node, ORDER_NONE, thread, shared };
	w->open[lock][thread] = (uint32_t)w->sections[lock].count;
}

static void leave(struct world *w, uint32_t lock, uint32_t thread, uint32_t node)
{
	w->sections[lock].items[w->open[lock][thread] - 1].release = node;
	w->open[lock][thread] = 0;
}

static void run_access(struct world *w, uint32_t thread)
{
	uint32_t cell = pick(CELLS), node = add_node(w, thread), what = pick(3);

	if (what != 0)
		*vec_push(&w->reads[cell]) =
			(struct order_read){ node, w->value[cell],
					     one_in(3) ? w->writer[cell] : ORDER_ANY };
	if (what != 1) {
		w->value[cell] = pick(3);
		w->writer[cell] = node;
		*vec_push(&w->writes[cell]) = (struct order_write){ node, w->value[cell] };
	}
}

static void run_lock(struct world *w, uint32_t thread)
{
	uint32_t lock = pick(LOCKS);
	bool shared = one_in(3);

	if (w->open[lock][thread])
		leave(w, lock, thread, add_node(w, thread));
	else if (is_held(w, lock, thread, !shared))
		*vec_push(&w->fails[lock]) = (struct order_fail){ add_node(w, thread), shared };
	else
		enter(w, lock, thread, add_node(w, thread), shared);
}

/* Lock 0 goes with the condition. */
static void run_condition(struct world *w, uint32_t thread)
{
	uint32_t section = w->open[0][thread], node;

	if (section && !w->sections[0].items[section - 1].shared && !one_in(3)) {
		node = add_node(w, thread);
		leave(w, 0, thread, node);
		*vec_push(&w->waits) = (struct order_wait){ .wait = node,
							    .woken = ORDER_NONE,
							    .thread = thread,
							    .wake = one_in(5) ? ORDER_WAKE_FREE
									      : ORDER_WAKE_SIGNAL,
							    .used = ORDER_NONE };
		w->waiting[thread] = (uint32_t)w->waits.count;
		w->woken[thread] = w->waits.items[w->waits.count - 1].wake == ORDER_WAKE_FREE;
		return;
	}
	node = add_node(w, thread);
	*vec_push(&w->signals) = (struct order_signal){ node, one_in(3) };
	for (uint32_t t = 0; t < THREADS; t++) {
		if (w->waiting[t] && !w->woken[t]) {
			w->woken[t] = true;
			if (!w->signals.items[w->signals.count - 1].broadcast)
				return;
		}
	}
}

static void run_woken(struct world *w, uint32_t thread)
{
	uint32_t node;

	if (!w->woken[thread] || is_held(w, 0, thread, true))
		return;
	node = add_node(w, thread);
	w->waits.items[w->waiting[thread] - 1].woken = node;
	w->waiting[thread] = 0;
	enter(w, 0, thread, node, false);
}

static void run_semaphore(struct world *w, uint32_t thread)
{
	uint32_t node = add_node(w, thread);

	if (one_in(2)) {
		w->count++;
		*vec_push(&w->model->posts) = node;
	} else if (w->count) {
		w->count--;
		*vec_push(&w->model->downs) = node;
	} else {
		*vec_push(&w->model->zeros) = node;
	}
}

static void put_together(struct world *w)
{
	struct order_model *m = w->model;

	for (uint32_t c = 0; c < CELLS; c++) {
		struct order_cell *cell = vec_push(&m->cells);

		*cell = (struct order_cell){ 0, (uint32_t)m->writes.count,
					     (uint32_t)w->writes[c].count, (uint32_t)m->reads.count,
					     (uint32_t)w->reads[c].count };
		for (size_t i = 0; i < w->writes[c].count; i++)
			*vec_push(&m->writes) = w->writes[c].items[i];
		for (size_t i = 0; i < w->reads[c].count; i++)
			*vec_push(&m->reads) = w->reads[c].items[i];
		vec_free(&w->writes[c]);
		vec_free(&w->reads[c]);
	}
	for (uint32_t l = 0; l < LOCKS; l++) {
		*vec_push(&m->locks) = (struct order_lock){ (uint32_t)m->sections.count,
							    (uint32_t)w->sections[l].count,
							    (uint32_t)m->fails.count,
							    (uint32_t)w->fails[l].count };
		for (size_t i = 0; i < w->sections[l].count; i++)
			*vec_push(&m->sections) = w->sections[l].items[i];
		for (size_t i = 0; i < w->fails[l].count; i++)
			*vec_push(&m->fails) = w->fails[l].items[i];
		vec_free(&w->sections[l]);
		vec_free(&w->fails[l]);
	}
	*vec_push(&m->conditions) = (struct order_condition){ 0, (uint32_t)w->waits.count, 0,
							      (uint32_t)w->signals.count };
	for (size_t i = 0; i < w->waits.count; i++)
		*vec_push(&m->waits) = w->waits.items[i];
	for (size_t i = 0; i < w->signals.count; i++)
		*vec_push(&m->signals) = w->signals.items[i];
	vec_free(&w->waits);
	vec_free(&w->signals);
	*vec_push(&m->semaphores) =
		(struct order_semaphore){ .initial = w->initial,
					  .exact = true,
					  .post_count = (uint32_t)m->posts.count,
					  .down_count = (uint32_t)m->downs.count,
					  .zero_count = (uint32_t)m->zeros.count };
	order_model_index(m);
}

static void make_model(struct order_model *model, uint32_t nodes)
{
	struct world w = { .model = model };
	uint32_t threads = 2 + pick(THREADS - 1);

	*model = (struct order_model){ .thread_count = threads };
	for (uint32_t c = 0; c < CELLS; c++)
		w.writer[c] = ORDER_NONE;
	w.count = w.initial = pick(2);
	if (one_in(3))
		enter(&w, 1, pick(threads), ORDER_NONE, one_in(2));
	for (uint32_t tries = 0; model->node_count < nodes && tries < 4 * nodes; tries++) {
		uint32_t thread = pick(threads), before = model->node_count, what = pick(10);

		if (w.waiting[thread])
			run_woken(&w, thread);
		else if (what < 4)
			run_access(&w, thread);
		else if (what < 7)
			run_lock(&w, thread);
		else if (what < 9)
			run_condition(&w, thread);
		else
			run_semaphore(&w, thread);
		if (before && model->node_count > before && one_in(12))
			*vec_push(&model->edges) = (struct order_edge){ pick(before), before };
	}
	put_together(&w);
}

/* ---- another prefix of it ------------------------------------------------------------------- */

/* Threads at random, each as far as it gets: what does not fit is tried again later. */
static uint32_t make_prefix(const struct order_model *model, uint32_t *inside)
{
	uint32_t next[THREADS] = { 0 }, count = 0;
	uint32_t most = pick(model->node_count) + 1;

	for (uint32_t tries = 0; count < most && tries < 6 * model->node_count; tries++) {
		uint32_t thread = pick(model->thread_count);
		uint32_t at = model->thread_start.items[thread] + next[thread];

		if (at == model->thread_start.items[thread + 1])
			continue;
		inside[count] = model->thread_nodes.items[at];
		if (order_model_accepts(model, inside, count + 1)) {
			next[thread]++;
			count++;
		}
	}
	return count;
}

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
	uint32_t kept[THREADS] = { 0 };

	out->count = 0;
	witness_make(model, solution, required, keep_all, out);
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
		uint32_t inside[64], required[THREADS], whole[THREADS] = { 0 };
		struct order_solution solution = { .inside = inside };

		seed = round;
		make_model(&model, 4 + pick(40));
		for (uint32_t i = 0; i < model.node_count; i++)
			inside[i] = i;
		assert_true(order_model_accepts(&model, inside, model.node_count));
		solution.count = make_prefix(&model, inside);
		for (uint32_t i = 0; i < solution.count; i++)
			whole[model.thread.items[inside[i]]]++;
		for (uint32_t t = 0; t < THREADS; t++)
			required[t] = one_in(2) ? 0 : pick(whole[t] + 1);
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
	/* Prefixes found at random switch at almost each node, and half of them is not needed. */
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

/* As it was recorded, with so many nodes of each of three threads required. */
static void expect(struct order_model *model, uint32_t a, uint32_t b, uint32_t c,
		   const uint32_t *nodes, size_t count)
{
	uint32_t inside[64], required[THREADS] = { a, b, c };
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

/* Thread 1 reads what thread 0 wrote; thread 2 has nothing to do with it. */
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
 * A section is left only when another one is entered behind it, and then everything before its
 * release stays: here a read of thread 0 and what thread 2 wrote for it.
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

/* A section from before the window is left before the next is entered. */
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

/* A wait that is woken keeps a signal, and a second one another. */
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

/* A thread runs on while nothing stops it. */
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
