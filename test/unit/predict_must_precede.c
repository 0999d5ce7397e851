/*
 * Tests must-precede relations on random models: in feasible prefixes found at random, everything
 * that must precede a node is inside and before it. Small models by hand show which conclusions
 * must be drawn.
 */
#include "model_make.h"

#include "predict/driver/must_precede.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static bool holds(const struct order_model *model, const struct order_section *s, uint32_t node)
{
	uint32_t at = model->position.items[node];

	return s->thread == model->thread.items[node] &&
	       (s->acquire == ORDER_NONE || model->position.items[s->acquire] < at) &&
	       (s->release == ORDER_NONE || model->position.items[s->release] >= at);
}

/* Adds the locks that each node's thread holds before it, as in real windows. */
static void add_held(struct window *window)
{
	const struct order_model *model = &window->model;

	for (uint32_t n = 0; n < model->node_count; n++) {
		struct window_node *node = vec_push(&window->nodes);

		*node = (struct window_node){ .held = ORDER_NONE };
		for (uint32_t l = 0; l < model->locks.count; l++) {
			const struct order_lock *lock = &model->locks.items[l];

			for (uint32_t i = 0; i < lock->section_count; i++) {
				const struct order_section *s =
					&model->sections.items[lock->section_start + i];

				if (!holds(model, s, n))
					continue;
				*vec_push(&window->held) = (struct window_held){
					.lock = l, .shared = s->shared, .outer = node->held
				};
				node->held = (uint32_t)window->held.count - 1;
			}
		}
	}
}

static void free_window(struct window *window)
{
	order_model_free(&window->model);
	vec_free(&window->nodes);
	vec_free(&window->held);
}

/* Checks for each node of a prefix that all nodes that must precede it have come. */
static void check_prefix(const struct must_precede *needs, const uint32_t *inside, uint32_t count)
{
	const struct order_model *model = needs->model;
	uint32_t come[MAKE_THREADS] = { 0 };

	for (uint32_t i = 0; i < count; i++) {
		uint32_t thread = model->thread.items[inside[i]];

		come[thread]++;
		for (uint32_t t = 0; t < model->thread_count; t++)
			assert_true(needs->count[inside[i] * model->thread_count + t] <= come[t]);
	}
}

static void random_models(void **state)
{
	uint64_t needed = 0, before = 0;

	(void)state;
	for (uint32_t round = 0; round < 4000; round++) {
		struct window window = { 0 };
		struct order_clock clock;
		struct must_precede needs;
		uint32_t inside[64];

		make_seed = round;
		make_model(&window.model, 4 + make_pick(40));
		add_held(&window);
		order_clock_make(&clock, &window.model);
		must_precede_make(&needs, &window, &clock);
		for (uint32_t i = 0; i < 12; i++)
			check_prefix(&needs, inside, make_prefix(&window.model, inside));
		for (size_t i = 0; i < (size_t)window.model.node_count * clock.threads; i++) {
			assert_true(needs.count[i] >= clock.count[i]);
			if (i % clock.threads != window.model.thread.items[i / clock.threads]) {
				needed += needs.count[i];
				before += clock.count[i];
			}
		}
		must_precede_free(&needs);
		order_clock_free(&clock);
		free_window(&window);
	}
	/* clocks alone give less than half of the relations to other threads */
	assert_true(needed > before * 2);
}

/* ---- by hand --------------------------------------------------------------------------------- */

static void start_window(struct window *window, const char *threads)
{
	*window = (struct window){ 0 };
	for (const char *t = threads; *t; t++) {
		uint32_t thread = (uint32_t)(*t - '0');

		*vec_push(&window->model.thread) = thread;
		window->model.node_count++;
		if (window->model.thread_count <= thread)
			window->model.thread_count = thread + 1;
	}
	order_model_index(&window->model);
}

/* Expects that `count` nodes of a thread must precede the node. */
static void expect_need(struct window *window, uint32_t node, uint32_t thread, uint32_t count)
{
	struct order_clock clock;
	struct must_precede needs;

	window->nodes.count = window->held.count = 0;
	add_held(window);
	order_clock_make(&clock, &window->model);
	must_precede_make(&needs, window, &clock);
	assert_int_equal(needs.count[node * window->model.thread_count + thread], count);
	must_precede_free(&needs);
	order_clock_free(&clock);
}

static void add_cell(struct window *window, uint32_t initial, const struct order_write *writes,
		     uint32_t count, uint32_t read, uint32_t value)
{
	struct order_model *model = &window->model;

	*vec_push(&model->cells) = (struct order_cell){ initial, (uint32_t)model->writes.count,
							count, (uint32_t)model->reads.count, 1 };
	for (uint32_t i = 0; i < count; i++)
		*vec_push(&model->writes) = writes[i];
	*vec_push(&model->reads) = (struct order_read){ read, value, ORDER_ANY };
}

/* Threads 0 and 1 write, thread 2 reads. */
static void reads_need_writes(void **state)
{
	struct window window;

	(void)state;
	/* only one write has the value */
	start_window(&window, "0012");
	add_cell(&window, 0, (struct order_write[]){ { 1, 5 }, { 2, 6 } }, 2, 3, 5);
	expect_need(&window, 3, 0, 2);
	expect_need(&window, 3, 1, 0);
	free_window(&window);
	/* two writes of one thread have the value: at least the first must precede */
	start_window(&window, "000012");
	add_cell(&window, 0, (struct order_write[]){ { 1, 5 }, { 2, 6 }, { 3, 5 } }, 3, 5, 5);
	expect_need(&window, 5, 0, 2);
	free_window(&window);
	/* writes of two threads have the value: neither must precede */
	start_window(&window, "0012");
	add_cell(&window, 0, (struct order_write[]){ { 1, 5 }, { 2, 5 } }, 2, 3, 5);
	expect_need(&window, 3, 0, 0);
	expect_need(&window, 3, 1, 0);
	free_window(&window);
	/* the initial value is possible, too, */
	start_window(&window, "0012");
	add_cell(&window, 5, (struct order_write[]){ { 1, 5 }, { 2, 6 } }, 2, 3, 5);
	expect_need(&window, 3, 0, 0);
	free_window(&window);
	/* unless it has been overwritten */
	start_window(&window, "0012");
	add_cell(&window, 5, (struct order_write[]){ { 1, 5 }, { 2, 6 } }, 2, 3, 5);
	*vec_push(&window.model.edges) = (struct order_edge){ 2, 3 };
	expect_need(&window, 3, 0, 2);
	free_window(&window);
}

/*
 * Thread 1 reads in its section a value that thread 0 wrote in its section: so that section has
 * ended.
 */
static void sections_need_releases(void **state)
{
	struct window window;

	(void)state;
	for (int shared = 0; shared < 2; shared++) {
		start_window(&window, "00011");
		add_cell(&window, 0, (struct order_write[]){ { 1, 5 } }, 1, 4, 5);
		*vec_push(&window.model.sections) = (struct order_section){ 0, 2, 0, shared };
		*vec_push(&window.model.sections) =
			(struct order_section){ 3, ORDER_NONE, 1, shared };
		*vec_push(&window.model.locks) = (struct order_lock){ 0, 2, 0, 0 };
		expect_need(&window, 3, 0, 0);
		expect_need(&window, 4, 0, shared ? 2 : 3);
		free_window(&window);
	}
}

/* A woken wait needs the only signal, a down the only post. */
static void wakes_need_signals(void **state)
{
	struct window window;

	(void)state;
	start_window(&window, "0101");
	*vec_push(&window.model.waits) =
		(struct order_wait){ .wait = 1, .woken = 3, .wake = ORDER_WAKE_SIGNAL };
	*vec_push(&window.model.signals) = (struct order_signal){ 2, false };
	*vec_push(&window.model.conditions) = (struct order_condition){ 0, 1, 0, 1 };
	expect_need(&window, 3, 0, 2);
	free_window(&window);
	for (uint32_t initial = 0; initial < 2; initial++) {
		start_window(&window, "001");
		*vec_push(&window.model.posts) = 1;
		*vec_push(&window.model.downs) = 2;
		*vec_push(&window.model.semaphores) = (struct order_semaphore){ .initial = initial,
										.post_count = 1,
										.down_count = 1 };
		expect_need(&window, 2, 0, initial ? 0 : 2);
		free_window(&window);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_models),
		cmocka_unit_test(reads_need_writes),
		cmocka_unit_test(sections_need_releases),
		cmocka_unit_test(wakes_need_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
