/*
 * Compares the candidates for races, on random windows made by hand, with the definition applied to
 * all pairs: each pair occurs once; the counts by site are right, the nearest pair first; locks,
 * clocks, atomics, cells, and sites found in earlier windows.
 */
#include "predict/race/race_candidates.h"
#include "predict/driver/seen_sites.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define THREADS 3

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

/* ---- a random window ------------------------------------------------------------------------- */

/*
 * Locks are taken and released as a stack; it does not matter that two threads may hold one lock.
 * The model has no sections and no reads: must-precede relations are tested elsewhere
 * (predict_must_precede.c).
 */
static void move_locks(struct window *window, uint32_t *innermost)
{
	if (*innermost != ORDER_NONE && one_in(2)) {
		*innermost = window->held.items[*innermost].outer;
		return;
	}
	*vec_push(&window->held) = (struct window_held){ .address = 0x1000 + pick(4),
							 .shared = one_in(2),
							 .lock = ORDER_NONE,
							 .outer = *innermost };
	*innermost = (uint32_t)window->held.count - 1;
}

static void add_access(struct window *window, uint32_t held, uint32_t cells, bool wide)
{
	static const uint8_t kinds[] = { EV_READ,	 EV_READ,	  EV_WRITE,	   EV_WRITE,
					 EV_ATOMIC_READ, EV_ATOMIC_WRITE, EV_ATOMIC_UPDATE };
	uint32_t first = pick(cells);
	struct window_node *node = vec_push(&window->nodes);

	*node = (struct window_node){ .kind = kinds[pick(sizeof kinds)],
				      .site = pick(4),
				      .address = 0x2000 + 8 * first,
				      .held = held,
				      .cell_start = (uint32_t)window->cells.count };
	*vec_push(&window->cells) = first;
	node->cell_count = 1;
	if (wide && first + 1 < cells) {
		*vec_push(&window->cells) = first + 1;
		node->cell_count = 2;
	}
}

static void make_window(struct window *window, uint32_t nodes, bool wide)
{
	struct order_model *model = &window->model;
	uint32_t innermost[THREADS] = { ORDER_NONE, ORDER_NONE, ORDER_NONE };
	uint32_t cells = 1 + pick(3);

	*window = (struct window){ .model.thread_count = THREADS };
	for (uint32_t i = 0; i < nodes; i++) {
		uint32_t thread = pick(THREADS);

		if (one_in(4))
			move_locks(window, &innermost[thread]);
		*vec_push(&model->thread) = thread;
		model->node_count++;
		if (one_in(5))
			*vec_push(&window->nodes) =
				(struct window_node){ .kind = EV_SIGNAL,
						      .held = innermost[thread] };
		else
			add_access(window, innermost[thread], cells, wide && one_in(2));
		if (i && one_in(8))
			*vec_push(&model->edges) = (struct order_edge){ pick(i), i };
	}
	for (uint32_t i = 0; i < cells; i++)
		*vec_push(&model->cells) = (struct order_cell){ 0 };
	window->fresh = one_in(2) ? 0 : pick(nodes);
	order_model_index(model);
}

static void free_window(struct window *window)
{
	order_model_free(&window->model);
	vec_free(&window->nodes);
	vec_free(&window->cells);
	vec_free(&window->held);
}

/* ---- the definition -------------------------------------------------------------------------- */

static bool writes(uint8_t kind)
{
	return kind == EV_WRITE || kind == EV_ATOMIC_WRITE || kind == EV_ATOMIC_UPDATE;
}

static bool is_plain(uint8_t kind)
{
	return kind == EV_READ || kind == EV_WRITE;
}

static bool touch(const struct window *window, const struct window_node *x,
		  const struct window_node *y)
{
	for (uint32_t i = 0; i < x->cell_count; i++) {
		for (uint32_t j = 0; j < y->cell_count; j++) {
			if (window->cells.items[x->cell_start + i] ==
			    window->cells.items[y->cell_start + j])
				return true;
		}
	}
	return false;
}

static bool exclude(const struct window *window, uint32_t x, uint32_t y)
{
	const struct window_held *held = window->held.items;

	for (uint32_t i = x; i != ORDER_NONE; i = held[i].outer) {
		for (uint32_t j = y; j != ORDER_NONE; j = held[j].outer) {
			if (held[i].address == held[j].address &&
			    !(held[i].shared && held[j].shared))
				return true;
		}
	}
	return false;
}

static bool may_race(const struct analysis *analysis, uint32_t a, uint32_t b)
{
	const struct window *window = analysis->window;
	const struct window_node *x = &window->nodes.items[a], *y = &window->nodes.items[b];
	const struct order_model *model = &window->model;

	return model->thread.items[a] != model->thread.items[b] && touch(window, x, y) &&
	       (writes(x->kind) || writes(y->kind)) && (is_plain(x->kind) || is_plain(y->kind)) &&
	       !order_clock_before(analysis->clock, model, a, b) &&
	       !order_clock_before(analysis->clock, model, b, a) &&
	       !exclude(window, x->held, y->held) && (a >= window->fresh || b >= window->fresh);
}

/* ---- tests ----------------------------------------------------------------------------------- */

struct seen {
	bool pair[64][64];
	uint32_t count;
};

static void see(void *context, struct race_pair pair)
{
	struct seen *seen = context;

	assert_true(pair.a < pair.b);
	assert_false(seen->pair[pair.a][pair.b]);
	seen->pair[pair.a][pair.b] = true;
	seen->count++;
}

static const struct race_pair *pairs_of(const struct race_candidates *c, size_t group)
{
	return (const void *)c->by_sites.items.items[group].candidates;
}

static void check_group(const struct race_candidates *c, size_t number, const struct seen *seen)
{
	const struct site_group *group = &c->by_sites.items.items[number];
	const struct race_pair *pairs = pairs_of(c, number);

	assert_true(group->total > 0);
	assert_true(group->kept > 0 && group->kept <= SITE_GROUP_MOST);
	for (size_t i = 0; i < group->kept; i++) {
		assert_true(seen->pair[pairs[i].a][pairs[i].b]);
		if (i)
			assert_true(pairs[i].b - pairs[i].a >= pairs[i - 1].b - pairs[i - 1].a);
	}
}

/* Checks that the nearest pair of all is the first pair of its group. */
static void check_nearest(const struct race_candidates *c, const struct seen *seen)
{
	uint32_t nearest = ORDER_NONE, first = ORDER_NONE;

	for (uint32_t b = 0; b < 64; b++) {
		for (uint32_t a = 0; a < b; a++) {
			if (seen->pair[a][b] && b - a < nearest)
				nearest = b - a;
		}
	}
	for (size_t i = 0; i < c->by_sites.items.count; i++) {
		struct race_pair pair = pairs_of(c, i)[0];

		if (pair.b - pair.a < first)
			first = pair.b - pair.a;
	}
	assert_int_equal(nearest, first);
}

static void check_window(struct analysis *analysis, bool wide)
{
	const struct window *window = analysis->window;
	struct seen seen = { 0 };
	struct race_candidates c;
	uint64_t total = 0;

	race_candidates_open(&c, analysis);
	race_candidates_each(&c, see, &seen);
	for (uint32_t b = 0; b < window->nodes.count; b++) {
		for (uint32_t a = 0; a < b; a++)
			assert_int_equal(seen.pair[a][b], may_race(analysis, a, b));
	}
	race_candidates_collect(&c);
	for (size_t i = 0; i < c.by_sites.items.count; i++) {
		check_group(&c, i, &seen);
		total += c.by_sites.items.items[i].total;
	}
	if (!wide)
		assert_int_equal(total, seen.count);
	check_nearest(&c, &seen);
	race_candidates_close(&c);
}

static void random_windows(void **state)
{
	struct predict_options options = { 0 };
	struct seen_sites seen = { 0 };

	(void)state;
	for (uint32_t round = 0; round < 3000; round++) {
		struct window window;
		struct order_clock clock;
		struct analysis analysis = {
			.window = &window, .clock = &clock, .options = &options, .seen = &seen
		};
		bool wide = round % 2;

		seed = round;
		make_window(&window, 2 + pick(60), wide);
		order_clock_make(&clock, &window.model);
		check_window(&analysis, wide);
		order_clock_free(&clock);
		free_window(&window);
	}
}

/* Pairs of sites that have a finding already are counted, but not listed. */
static void sites_with_a_finding(void **state)
{
	struct predict_options options = { 0 };
	struct seen_sites seen = { 0 };
	struct window window;
	struct order_clock clock;
	struct analysis analysis = {
		.window = &window, .clock = &clock, .options = &options, .seen = &seen
	};
	struct race_candidates c;
	uint64_t total;

	(void)state;
	seed = 1;
	make_window(&window, 60, false);
	order_clock_make(&clock, &window.model);
	race_candidates_open(&c, &analysis);
	race_candidates_collect(&c);
	assert_true(c.by_sites.items.count > 1);
	total = c.by_sites.items.items[0].total;
	*map_put(&seen.keys, c.by_sites.items.items[0].key, NULL) = SEEN_SITES_FOUND;
	race_candidates_close(&c);

	race_candidates_open(&c, &analysis);
	race_candidates_collect(&c);
	assert_true(c.by_sites.items.items[0].found);
	assert_int_equal(c.by_sites.items.items[0].kept, 0);
	assert_int_equal(c.by_sites.items.items[0].total, total);
	assert_false(c.by_sites.items.items[1].found);
	race_candidates_close(&c);
	map_free(&seen.keys);
	order_clock_free(&clock);
	free_window(&window);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_windows),
		cmocka_unit_test(sites_with_a_finding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
