/*
 * Tests the parts of the guided search with cases by hand: dependent operations, operations whose
 * order could be reversed, leads and their plans, spinning loops, and fewer thread switches. The
 * search as a whole is tested against all schedules of random programs (test/model/simulated.c).
 */
#include "event/event.h"
#include "explore/search/op_enabled.h"
#include "explore/search/run_key.h"
#include "explore/search/minimise.h"
#include "explore/search/reversible_pair.h"
#include "explore/search/spin_loops.h"
#include "explore/search/lead_plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { X = 0x1000, Y = 0x1004, M = 0x2000, C = 0x3000, BLOCK = 0x4000 };

static struct control_event event(uint32_t thread, uint32_t step, enum event_kind kind,
				  uint64_t address)
{
	return (struct control_event){ .thread = thread,
				       .step = step,
				       .kind = (uint8_t)kind,
				       .address = address,
				       .size = address < M ? 4 : 0,
				       .site = 100 * thread + step + 1 };
}

/* ---- what depends on what ----------------------------------------------------------------- */

static bool depend(const struct use_blocks *blocks, struct control_event a, struct control_event b)
{
	use_list one = { 0 }, other = { 0 };
	bool conflict;

	op_uses_of(blocks, &a, false, &one);
	op_uses_of(blocks, &b, false, &other);
	conflict = op_uses_conflict(&one, &other);
	vec_free(&one);
	vec_free(&other);
	return conflict;
}

static void test_uses(void **state)
{
	struct use_blocks blocks = { 0 };
	struct control_event alloc = event(0, 0, EV_ALLOC, BLOCK);
	struct control_event woken = event(1, 0, EV_WOKEN, C), inside;

	(void)state;
	alloc.size = 64;
	op_uses_learn_blocks(&blocks, &alloc, 1);
	assert_false(depend(&blocks, event(0, 1, EV_READ, X), event(1, 0, EV_READ, X)));
	assert_true(depend(&blocks, event(0, 1, EV_READ, X), event(1, 0, EV_WRITE, X)));
	assert_false(depend(&blocks, event(0, 1, EV_WRITE, Y), event(1, 0, EV_WRITE, X)));
	assert_true(depend(&blocks, event(0, 1, EV_ACQUIRE, M), event(1, 0, EV_RELEASE, M)));
	assert_false(
		depend(&blocks, event(0, 1, EV_READ_ACQUIRE, M), event(1, 0, EV_READ_ACQUIRE, M)));
	assert_true(
		depend(&blocks, event(0, 1, EV_READ_ACQUIRE, M), event(1, 0, EV_ACQUIRE_FAIL, M)));
	woken.other = M;
	assert_true(depend(&blocks, event(0, 1, EV_RELEASE, M), woken));
	inside = event(1, 0, EV_READ, BLOCK + 40);
	inside.size = 8;
	assert_true(depend(&blocks, event(0, 1, EV_FREE, BLOCK), inside));
	inside.address = BLOCK + 64;
	assert_false(depend(&blocks, event(0, 1, EV_FREE, BLOCK), inside));
	op_uses_free_blocks(&blocks);
}

/* ---- races -------------------------------------------------------------------------------- */

static void put(struct dpor_path *path, struct reversible_pair_finder *finder,
		struct control_event event_)
{
	size_t at = 0;
	struct dpor_path_node *node = dpor_path_push(path, &event_, 1, &at);

	path->depth--;
	reversible_pair_find(finder, path, &event_, 1, &node->before);
	path->depth++;
	for (size_t i = 0; i < finder->conflicts.count; i++)
		dpor_path_join(&node->clock, &path->nodes.items[finder->conflicts.items[i]].clock);
	dpor_path_touch_top(path);
}

/*
 * Two acquires of a lock race with each other. The release between them is in no race, and does not
 * hide the race of the acquires.
 */
static void test_lock_races(void **state)
{
	struct dpor_path path = { 0 };
	struct reversible_pair_finder finder = { 0 };
	struct control_event wanted = event(1, 0, EV_ACQUIRE, M);

	(void)state;
	put(&path, &finder, event(0, 0, EV_ACQUIRE, M));
	assert_false(op_enabled_without(&path, &wanted, DPOR_PATH_NONE));
	assert_true(op_enabled_without(&path, &wanted, 0));
	put(&path, &finder, event(0, 1, EV_WRITE, X));
	put(&path, &finder, event(0, 2, EV_RELEASE, M));
	put(&path, &finder, wanted);
	assert_int_equal(finder.races.count, 1);
	assert_int_equal(finder.races.items[0], 0);
	put(&path, &finder, event(1, 1, EV_WRITE, X)); /* the lock orders the two writes */
	assert_int_equal(finder.races.count, 0);
	dpor_path_cut(&path, 1);
	put(&path, &finder, event(1, 0, EV_WRITE, X));
	put(&path, &finder, event(0, 1, EV_WRITE, X));
	assert_int_equal(finder.races.count, 1);
	assert_int_equal(finder.races.items[0], 1);
	dpor_path_free(&path);
	reversible_pair_free(&finder);
}

/* A woken thread could not have continued before the signal. */
static void test_wake_up(void **state)
{
	struct dpor_path path = { 0 };
	struct reversible_pair_finder finder = { 0 };
	struct control_event wait = event(0, 0, EV_WAIT, C), woken = event(0, 1, EV_WOKEN, C);

	(void)state;
	wait.other = woken.other = M;
	put(&path, &finder, wait);
	put(&path, &finder, event(1, 0, EV_SIGNAL, C));
	assert_int_equal(finder.races.count, 1);
	put(&path, &finder, woken);
	assert_int_equal(finder.races.count, 0);
	assert_int_equal(finder.conflicts.count, 1);
	dpor_path_free(&path);
	reversible_pair_free(&finder);
}

/* ---- loops that wait ---------------------------------------------------------------------- */

static void test_spin(void **state)
{
	struct dpor_path path = { 0 };
	struct reversible_pair_finder finder = { 0 };
	struct control_event look = event(0, 0, EV_READ, X);

	(void)state;
	for (look.step = 0; look.step < 8; look.step++) {
		assert_int_equal(spin_loops_is_round(&path, dpor_path_last_of(&path, 0), &look),
				 look.step >= SPIN_LOOPS_ROUNDS);
		put(&path, &finder, look);
	}
	assert_int_equal(spin_loops_first(&path, 1), 1);
	assert_int_equal(spin_loops_first(&path, 7), SPIN_LOOPS_ROUNDS - 1);
	look.other = 1; /* another value ends the series of equal reads */
	put(&path, &finder, look);
	assert_int_equal(spin_loops_first(&path, 8), 8);
	dpor_path_free(&path);
	reversible_pair_free(&finder);
}

/* ---- leads -------------------------------------------------------------------------------- */

/* Two threads execute counter++, one after the other. */
static const struct control_event lost_update[] = {
	{ .thread = 0, .step = 0, .kind = EV_CREATE, .address = 1, .site = 1 },
	{ .thread = 0, .step = 1, .kind = EV_CREATE, .address = 2, .site = 2 },
	{ .thread = 1, .step = 0, .kind = EV_BEGIN, .site = 3 },
	{ .thread = 1, .step = 1, .kind = EV_READ, .address = X, .size = 4, .site = 4 },
	{ .thread = 1,
	  .step = 2,
	  .kind = EV_WRITE,
	  .address = X,
	  .size = 4,
	  .other = 1,
	  .site = 5 },
	{ .thread = 2, .step = 0, .kind = EV_BEGIN, .site = 3 },
	{ .thread = 2, .step = 1, .kind = EV_READ, .address = X, .size = 4, .other = 1, .site = 4 },
	{ .thread = 2,
	  .step = 2,
	  .kind = EV_WRITE,
	  .address = X,
	  .size = 4,
	  .other = 2,
	  .site = 5 },
};

/* One of the first leads stops the first thread between its read and its write of the counter. */
static void test_lost_update(void **state)
{
	struct outcome outcome = { .events = lost_update,
				   .event_count = COUNT(lost_update),
				   .thread_count = 3 };
	struct thread_set all = { NULL, 0 };
	struct leads leads = { 0 };
	struct lead lead;
	bool found = false;

	(void)state;
	assert_true(leads_learn(&leads, &outcome, 0, NULL));
	assert_false(leads_learn(&leads, &outcome, 0, NULL)); /* the same run gives no new leads */
	for (int i = 0; i < 4 && leads_take(&leads, &lead); i++) {
		struct plan plan = { 0 };
		lead_plan_make(&lead, &all, &plan);
		assert_true(plan.slices.count > 0);
		for (size_t k = 0; k < plan.rules.count; k++)
			found |= plan.rules.items[k].after_thread == 1 &&
				 plan.rules.items[k].after_step == 2 &&
				 plan.rules.items[k].before_thread == 2;
		plan_free(&plan);
		lead_done(&leads, &lead);
	}
	assert_true(found);
	leads_free(&leads);
}

/* Runs that differ only in the order of independent operations have one key. */
static void test_foresee(void **state)
{
	struct control_event one[] = { event(0, 0, EV_WRITE, X), event(1, 0, EV_WRITE, Y) };
	struct control_event other[] = { event(1, 0, EV_WRITE, Y), event(0, 0, EV_WRITE, X) };

	(void)state;
	assert_true(run_key_of_events(one, 2) == run_key_of_events(other, 2));
	one[1].address = other[0].address = X;
	assert_true(run_key_of_events(one, 2) != run_key_of_events(other, 2));
}

/* ---- fewer switches ----------------------------------------------------------------------- */

/* An executor whose run fails if thread 2 has a step before thread 1 has done its third step. */
struct failing {
	struct executor executor;
	struct control_event events[64];
};

static bool run_failing(struct executor *executor, const struct plan *plan, struct outcome *outcome,
			struct err *err)
{
	struct failing *failing = (struct failing *)executor;
	uint32_t done[3] = { 0, 0, 0 };
	bool early = false;

	(void)err;
	*outcome = (struct outcome){ .events = failing->events, .result = CONTROL_ENDED };
	for (size_t i = 0; i < plan->slices.count + 3; i++) {
		struct control_slice run = { (uint32_t)(i - plan->slices.count), 4 };
		if (i < plan->slices.count)
			run = plan->slices.items[i];
		for (; done[run.thread] < run.until; done[run.thread]++) {
			early |= run.thread == 2 && done[1] < 3;
			failing->events[outcome->event_count++] =
				event(run.thread, done[run.thread], EV_FENCE, 0);
		}
	}
	if (early)
		outcome->result = CONTROL_STUCK;
	return true;
}

static void test_minimise(void **state)
{
	static const struct control_slice runs[] = { { 0, 1 }, { 1, 1 }, { 0, 2 }, { 2, 1 },
						     { 0, 3 }, { 1, 2 }, { 2, 2 }, { 1, 4 },
						     { 0, 4 }, { 2, 4 } };
	struct failing failing = { .executor.run = run_failing };
	struct failure failure = { .result = CONTROL_STUCK };
	struct outcome outcome;
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(runs); i++)
		*vec_push(&failure.plan.slices) = runs[i];
	run_failing(&failing.executor, &failure.plan, &outcome, &err);
	assert_true(failure_seen(&outcome, 0));
	failure.key = failure_key(&outcome);
	/* No run begins when the time is over. */
	assert_int_equal(minimise_failure(&failing.executor, &failure,
					  &(struct minimise_limits){ 200, 1e-9 }, 0),
			 0);
	assert_int_equal(failure.plan.slices.count, COUNT(runs));
	assert_true(minimise_failure(&failing.executor, &failure,
				     &(struct minimise_limits){ .runs = 200 }, 0) <= 200);
	/* one thread after the other, thread 2 before thread 1 */
	assert_true(failure.plan.slices.count <= 3);
	run_failing(&failing.executor, &failure.plan, &outcome, &err);
	assert_true(failure_seen(&outcome, 0));
	failure_free(&failure);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_uses),	    cmocka_unit_test(test_lock_races),
		cmocka_unit_test(test_wake_up),	    cmocka_unit_test(test_spin),
		cmocka_unit_test(test_lost_update), cmocka_unit_test(test_foresee),
		cmocka_unit_test(test_minimise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
