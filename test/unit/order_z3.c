/* Tests Z3's answers to queries about single rules, whose correct answers are obvious. */
#include "order/z3/z3.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/*
 * A model and a query under construction. Nodes are numbered in the order in which they are made.
 */
struct world {
	struct order_model model;
	struct order_query query;
};

static uint32_t node(struct world *w, uint32_t thread)
{
	*vec_push(&w->model.thread) = thread;
	if (w->model.thread_count <= thread)
		w->model.thread_count = thread + 1;
	return w->model.node_count++;
}

static void edge(struct world *w, uint32_t from, uint32_t to)
{
	*vec_push(&w->model.edges) = (struct order_edge){ from, to };
}

/* There is at most one object of each kind: closing it gives it all the parts made so far. */
static void close_cell(struct world *w, uint32_t initial)
{
	*vec_push(&w->model.cells) =
		(struct order_cell){ initial, 0, (uint32_t)w->model.writes.count, 0,
				     (uint32_t)w->model.reads.count };
}

static void close_lock(struct world *w)
{
	*vec_push(&w->model.locks) = (struct order_lock){ 0, (uint32_t)w->model.sections.count, 0,
							  (uint32_t)w->model.fails.count };
}

static void close_condition(struct world *w)
{
	*vec_push(&w->model.conditions) =
		(struct order_condition){ 0, (uint32_t)w->model.waits.count, 0,
					  (uint32_t)w->model.signals.count };
}

static void close_semaphore(struct world *w, uint32_t initial)
{
	*vec_push(&w->model.semaphores) = (struct order_semaphore){
		.initial = initial,
		.exact = true,
		.post_count = (uint32_t)w->model.posts.count,
		.down_count = (uint32_t)w->model.downs.count,
		.zero_count = (uint32_t)w->model.zeros.count,
	};
}

static uint32_t write_value(struct world *w, uint32_t thread, uint32_t value)
{
	uint32_t n = node(w, thread);

	*vec_push(&w->model.writes) = (struct order_write){ n, value };
	return n;
}

static uint32_t read_value(struct world *w, uint32_t thread, uint32_t value, uint32_t writer)
{
	uint32_t n = node(w, thread);

	*vec_push(&w->model.reads) = (struct order_read){ n, value, writer };
	return n;
}

static void section(struct world *w, uint32_t thread, uint32_t acquire, uint32_t release,
		    bool shared)
{
	*vec_push(&w->model.sections) = (struct order_section){ acquire, release, thread, shared };
}

static void waits(struct world *w, uint32_t thread, uint32_t wait, uint32_t woken,
		  enum order_wake wake)
{
	*vec_push(&w->model.waits) =
		(struct order_wait){ wait, woken, thread, (uint8_t)wake, false, ORDER_NONE };
}

static uint32_t signals(struct world *w, uint32_t thread, bool broadcast)
{
	uint32_t n = node(w, thread);

	*vec_push(&w->model.signals) = (struct order_signal){ n, broadcast };
	return n;
}

static void need(struct world *w, uint32_t a, uint32_t b)
{
	int32_t literal = order_query_before(&w->query, a, b);

	order_query_clause(&w->query, &literal, 1);
}

/* Asks the query, clears it, and returns the answer. */
static enum order_answer ask(struct world *w)
{
	struct order_clock clock;
	enum order_answer answer;
	uint32_t *inside, count;

	order_model_index(&w->model);
	order_clock_make(&clock, &w->model);
	answer = order_solve_z3(&w->model, &clock, &w->query, 0, &inside, &count);
	assert_true(answer == ORDER_POSSIBLE || count == 0);
	free(inside);
	order_clock_free(&clock);
	order_query_clear(&w->query);
	return answer;
}

static void end(struct world *w)
{
	order_model_free(&w->model);
	order_query_free(&w->query);
}

static void edges_bind(void **state)
{
	struct world w = { 0 };
	uint32_t a = node(&w, 0), b = node(&w, 1), c = node(&w, 1), d = node(&w, 2);
	int32_t either[2];

	(void)state;
	edge(&w, a, b);
	need(&w, b, a);
	assert_int_equal(ask(&w), ORDER_IMPOSSIBLE);
	need(&w, c, ORDER_CUT);
	need(&w, ORDER_CUT, a);
	assert_int_equal(ask(&w), ORDER_IMPOSSIBLE);
	need(&w, ORDER_CUT, d);
	need(&w, d, a);
	assert_int_equal(ask(&w), ORDER_POSSIBLE);
	/*
	 * edges hold outside of the cut, too: a before b before c, so d cannot be after c and
	 * before a
	 */
	need(&w, ORDER_CUT, a);
	need(&w, c, d);
	need(&w, d, a);
	assert_int_equal(ask(&w), ORDER_IMPOSSIBLE);
	either[0] = order_query_before(&w.query, c, d);
	either[1] = order_query_before(&w.query, d, c);
	either[0] = -either[0];
	either[1] = -either[1];
	order_query_clause(&w.query, &either[0], 1);
	order_query_clause(&w.query, &either[1], 1);
	assert_int_equal(ask(&w), ORDER_IMPOSSIBLE);
	order_query_clause(&w.query, NULL, 0);
	assert_int_equal(ask(&w), ORDER_IMPOSSIBLE);
	assert_int_equal(ask(&w), ORDER_POSSIBLE);
	end(&w);
}

static void reads_keep_values(void **state)
{
	struct world w = { 0 };
	uint32_t one = write_value(&w, 0, 1), two = write_value(&w, 0, 2);
	uint32_t r1 = read_value(&w, 1, 2, ORDER_ANY), r2 = read_value(&w, 1, 2, two);
	uint32_t again = write_value(&w, 2, 2), zero = read_value(&w, 3, 0, ORDER_ANY);

	(void)state;
	close_cell(&w, 0);
	need(&w, r1, ORDER_CUT);
	need(&w, ORDER_CUT, one);
	assert_int_equal(ask(&w), ORDER_POSSIBLE); /* r1 can read from `again` */
	need(&w, r1, ORDER_CUT);
	need(&w, ORDER_CUT, two);
	need(&w, again, one);
	assert_int_equal(ask(&w), ORDER_POSSIBLE); /* r1 can come before `one` */
	need(&w, one, r1);
	need(&w, r1, ORDER_CUT);
	need(&w, ORDER_CUT, two);
	need(&w, again, one);
	assert_int_equal(ask(&w), ORDER_IMPOSSIBLE);
	need(&w, r2, ORDER_CUT);
	need(&w, ORDER_CUT, two);
	assert_int_equal(ask(&w), ORDER_IMPOSSIBLE); /* r2 can read only from `two` */
	need(&w, r2, ORDER_CUT);
	need(&w, two, again);
	need(&w, again, r2);
	assert_int_equal(ask(&w), ORDER_IMPOSSIBLE);
	need(&w, one, zero);
	need(&w, zero, ORDER_CUT);
	assert_int_equal(ask(&w), ORDER_IMPOSSIBLE);
	need(&w, one, zero);
	assert_int_equal(ask(&w), ORDER_POSSIBLE); /* possible if `zero` is outside the cut */
	w.model.cells.items[0].initial = ORDER_NONE;
	need(&w, zero, ORDER_CUT);
	assert_int_equal(ask(&w), ORDER_IMPOSSIBLE);
	end(&w);
}

static void update_reads_another(void **state)
{
	struct world w = { 0 };
	uint32_t u = write_value(&w, 0, 1), v;

	(void)state;
	*vec_push(&w.model.reads) = (struct order_read){ u, 0, ORDER_ANY };
	v = write_value(&w, 1, 2);
	*vec_push(&w.model.reads) = (struct order_read){ v, 1, ORDER_ANY };
	close_cell(&w, 0);
	need(&w, v, ORDER_CUT);
	assert_int_equal(ask(&w), ORDER_POSSIBLE);
	need(&w, v, ORDER_CUT);
	need(&w, ORDER_CUT, u);
	assert_int_equal(ask(&w), ORDER_IMPOSSIBLE);
	w.model.reads.items[0].value = 1; /* the update reads 1, but the cell holds 0 */
	need(&w, u, ORDER_CUT);
	assert_int_equal(ask(&w), ORDER_IMPOSSIBLE);
	end(&w);
}

static void sections_exclude(void **state)
{
	struct world w = { 0 };
	uint32_t a = node(&w, 0), in = node(&w, 0), r = node(&w, 0);
	uint32_t b = node(&w, 1), bin = node(&w, 1), s = node(&w, 1);
	uint32_t c = node(&w, 2), old = node(&w, 3);

	(void)state;
	section(&w, 0, a, r, false);
	section(&w, 1, b, s, false);
	section(&w, 2, c, ORDER_NONE, false);
	section(&w, 3, ORDER_NONE, old, false);
	close_lock(&w);
	need(&w, in, ORDER_CUT);
	need(&w, bin, ORDER_CUT);
	need(&w, ORDER_CUT, r);
	assert_int_equal(ask(&w), ORDER_POSSIBLE); /* if b's section comes first */
	need(&w, in, ORDER_CUT);
	need(&w, bin, ORDER_CUT);
	need(&w, ORDER_CUT, r);
	need(&w, ORDER_CUT, s);
	assert_int_equal(ask(&w), ORDER_IMPOSSIBLE);
	need(&w, c, ORDER_CUT);
	need(&w, c, a);
	need(&w, a, ORDER_CUT);
	assert_int_equal(ask(&w), ORDER_IMPOSSIBLE);
	need(&w, a, old);
	need(&w, a, ORDER_CUT);
	assert_int_equal(ask(&w), ORDER_IMPOSSIBLE);
	w.model.sections.items[0].shared = w.model.sections.items[1].shared = true;
	need(&w, in, ORDER_CUT);
	need(&w, bin, ORDER_CUT);
	need(&w, ORDER_CUT, r);
	need(&w, ORDER_CUT, s);
	assert_int_equal(ask(&w), ORDER_POSSIBLE);
	w.model.sections.items[1].shared = false;
	need(&w, in, ORDER_CUT);
	need(&w, bin, ORDER_CUT);
	need(&w, ORDER_CUT, r);
	need(&w, ORDER_CUT, s);
	assert_int_equal(ask(&w), ORDER_IMPOSSIBLE);
	end(&w);
}

static void fails_need_a_holder(void **state)
{
	struct world w = { 0 };
	uint32_t a = node(&w, 0), r = node(&w, 0), f = node(&w, 1);

	(void)state;
	section(&w, 0, a, r, true);
	*vec_push(&w.model.fails) = (struct order_fail){ f, false };
	close_lock(&w);
	need(&w, f, ORDER_CUT);
	assert_int_equal(ask(&w), ORDER_POSSIBLE);
	need(&w, f, ORDER_CUT);
	need(&w, f, a);
	assert_int_equal(ask(&w), ORDER_IMPOSSIBLE);
	need(&w, f, ORDER_CUT);
	need(&w, r, f);
	assert_int_equal(ask(&w), ORDER_IMPOSSIBLE);
	w.model.fails.items[0].shared = true;
	need(&w, f, ORDER_CUT);
	assert_int_equal(ask(&w), ORDER_IMPOSSIBLE);
	end(&w);
}

static void signals_wake_one_each(void **state)
{
	struct world w = { 0 };
	uint32_t w1 = node(&w, 0), k1, w2 = node(&w, 1), k2, s, t;

	(void)state;
	s = signals(&w, 2, false);
	t = signals(&w, 3, false);
	k1 = node(&w, 0);
	k2 = node(&w, 1);
	waits(&w, 0, w1, k1, ORDER_WAKE_SIGNAL);
	waits(&w, 1, w2, k2, ORDER_WAKE_SIGNAL);
	close_condition(&w);
	need(&w, k1, ORDER_CUT);
	need(&w, k2, ORDER_CUT);
	assert_int_equal(ask(&w), ORDER_POSSIBLE);
	need(&w, k1, ORDER_CUT);
	need(&w, k2, ORDER_CUT);
	need(&w, ORDER_CUT, t);
	assert_int_equal(ask(&w), ORDER_IMPOSSIBLE);
	need(&w, k1, ORDER_CUT);
	need(&w, k2, ORDER_CUT);
	need(&w, t, w1);
	need(&w, s, w1);
	assert_int_equal(ask(&w), ORDER_IMPOSSIBLE);
	w.model.signals.items[0].broadcast = true;
	need(&w, k1, ORDER_CUT);
	need(&w, k2, ORDER_CUT);
	need(&w, ORDER_CUT, t);
	assert_int_equal(ask(&w), ORDER_POSSIBLE);
	w.model.waits.items[0].wake = ORDER_WAKE_FREE;
	need(&w, k1, ORDER_CUT);
	need(&w, ORDER_CUT, s);
	need(&w, ORDER_CUT, t);
	assert_int_equal(ask(&w), ORDER_POSSIBLE);
	end(&w);
}

static void unwoken(struct world *w, uint32_t wait)
{
	int32_t literal = order_query_boolean(&w->query);

	*vec_push(&w->query.unwoken) = (struct order_unwoken){ literal, wait };
	order_query_clause(&w->query, &literal, 1);
}

/*
 * In the order w1 … s … w2 … t, signal s must wake w1, the only waiting thread; so t must wake w2.
 */
static void signals_are_not_saved(void **state)
{
	struct world w = { 0 };
	uint32_t w1 = node(&w, 0), k1, w2, k2, s = signals(&w, 2, false), t;

	(void)state;
	w2 = node(&w, 1);
	t = signals(&w, 2, false);
	k1 = node(&w, 0);
	k2 = node(&w, 1);
	waits(&w, 0, w1, k1, ORDER_WAKE_SIGNAL);
	waits(&w, 1, w2, k2, ORDER_WAKE_SIGNAL);
	close_condition(&w);
	unwoken(&w, 1);
	assert_int_equal(ask(&w), ORDER_POSSIBLE);
	unwoken(&w, 1);
	need(&w, t, ORDER_CUT);
	need(&w, w2, t);
	/* if s comes before both waits, or if t wakes w1 */
	assert_int_equal(ask(&w), ORDER_POSSIBLE);
	unwoken(&w, 1);
	need(&w, t, ORDER_CUT);
	need(&w, w2, t);
	need(&w, w1, s);
	need(&w, s, w2);
	assert_int_equal(ask(&w), ORDER_IMPOSSIBLE);
	unwoken(&w, 1);
	need(&w, t, ORDER_CUT);
	need(&w, w2, s);
	need(&w, w1, s);
	/* two signals, and only one other waiting thread */
	assert_int_equal(ask(&w), ORDER_IMPOSSIBLE);
	unwoken(&w, 0);
	unwoken(&w, 1);
	need(&w, t, ORDER_CUT);
	need(&w, w2, t);
	assert_int_equal(ask(&w), ORDER_IMPOSSIBLE); /* no other thread waits */
	unwoken(&w, 0);
	unwoken(&w, 1);
	need(&w, t, ORDER_CUT);
	assert_int_equal(ask(&w), ORDER_POSSIBLE); /* if both signals come before the waits */
	unwoken(&w, 1);
	need(&w, k2, ORDER_CUT);
	assert_int_equal(ask(&w), ORDER_IMPOSSIBLE);
	w.model.signals.items[1].broadcast = true;
	unwoken(&w, 1);
	need(&w, w2, t);
	need(&w, t, ORDER_CUT);
	assert_int_equal(ask(&w), ORDER_IMPOSSIBLE);
	end(&w);
}

static void semaphores_count(void **state)
{
	struct world w = { 0 };
	uint32_t p = node(&w, 0), q = node(&w, 1), d = node(&w, 2), e = node(&w, 3),
		 z = node(&w, 4);
	int32_t literal;

	(void)state;
	*vec_push(&w.model.posts) = p;
	*vec_push(&w.model.posts) = q;
	*vec_push(&w.model.downs) = d;
	*vec_push(&w.model.downs) = e;
	*vec_push(&w.model.zeros) = z;
	close_semaphore(&w, 0);
	need(&w, d, ORDER_CUT);
	need(&w, e, ORDER_CUT);
	assert_int_equal(ask(&w), ORDER_POSSIBLE);
	need(&w, d, ORDER_CUT);
	need(&w, e, ORDER_CUT);
	need(&w, e, p);
	need(&w, d, p);
	assert_int_equal(ask(&w), ORDER_IMPOSSIBLE);
	need(&w, p, z);
	need(&w, z, ORDER_CUT);
	need(&w, ORDER_CUT, d);
	assert_int_equal(ask(&w), ORDER_POSSIBLE);
	need(&w, p, z);
	need(&w, q, z);
	need(&w, z, ORDER_CUT);
	need(&w, ORDER_CUT, d);
	assert_int_equal(ask(&w), ORDER_IMPOSSIBLE);
	w.model.semaphores.items[0].initial = 1;
	need(&w, d, ORDER_CUT);
	need(&w, e, ORDER_CUT);
	need(&w, e, p);
	need(&w, d, p);
	assert_int_equal(ask(&w), ORDER_POSSIBLE); /* if q comes first */
	need(&w, d, ORDER_CUT);
	need(&w, e, ORDER_CUT);
	need(&w, ORDER_CUT, p);
	need(&w, ORDER_CUT, q);
	assert_int_equal(ask(&w), ORDER_IMPOSSIBLE);
	literal = order_query_boolean(&w.query);
	*vec_push(&w.query.empty) = (struct order_empty){ literal, 0 };
	order_query_clause(&w.query, &literal, 1);
	need(&w, p, ORDER_CUT);
	assert_int_equal(ask(&w), ORDER_POSSIBLE);
	literal = order_query_boolean(&w.query);
	*vec_push(&w.query.empty) = (struct order_empty){ literal, 0 };
	order_query_clause(&w.query, &literal, 1);
	need(&w, p, ORDER_CUT);
	need(&w, ORDER_CUT, d);
	assert_int_equal(ask(&w), ORDER_IMPOSSIBLE);
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edges_bind),
		cmocka_unit_test(reads_keep_values),
		cmocka_unit_test(update_reads_another),
		cmocka_unit_test(sections_exclude),
		cmocka_unit_test(fails_need_a_holder),
		cmocka_unit_test(signals_wake_one_each),
		cmocka_unit_test(signals_are_not_saved),
		cmocka_unit_test(semaphores_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
