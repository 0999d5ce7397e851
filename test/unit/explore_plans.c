/*
 * Tests all parts of a plan: slices, stops, rules, choices, sleeping threads, and a limit. The
 * programs are those of test/turns/plans.c. The steps to name in a plan are found in the log of a
 * first run.
 */
#include "turns.h"

#include <sys/wait.h>

static struct runner *open_program(char **words)
{
	words[0] = "./plans";
	words[2] = NULL;
	return turns_open(words, RUNNER_ONCE);
}

static struct plan plan_staying(void)
{
	return (struct plan){ .policy = CONTROL_STAY,
			      .options = CONTROL_END_STUCK,
			      .most_steps = 10000 };
}

/*
 * Returns the step number of a thread's nth event of a kind (from 0), in the run in which each
 * thread continues as long as it can.
 */
static uint32_t step_of(struct runner *session, uint32_t thread, enum event_kind kind, unsigned nth)
{
	struct plan plan = plan_staying();
	struct outcome outcome = turns_run(session, &plan);

	for (uint32_t i = 0; i < outcome.event_count; i++) {
		const struct control_event *e = &outcome.events[i];
		if (e->thread == thread && e->kind == kind && nth-- == 0)
			return e->step;
	}
	fail_msg("T%u has no such %s", thread, event_name(kind));
	return 0;
}

static void add_run(struct plan *plan, uint32_t thread, uint32_t until)
{
	*vec_push(&plan->slices) = (struct control_slice){ thread, until };
}

/* Returns the position of a step in the run. */
static uint32_t position(const struct outcome *outcome, uint32_t thread, uint32_t step)
{
	for (uint32_t i = 0; i < outcome->event_count; i++)
		if (outcome->events[i].thread == thread && outcome->events[i].step == step)
			return i;
	fail_msg("T%u.%u was not done", thread, step);
	return 0;
}

/* ---- stops ----------------------------------------------------------------------------------- */

static void test_stops(void **state)
{
	char *words[3] = { NULL, "race", NULL };
	struct runner *session = open_program(words);
	struct plan plan = plan_staying();
	uint32_t write = step_of(session, 1, EV_WRITE, 0), read = step_of(session, 2, EV_READ, 0);

	(void)state;
	*vec_push(&plan.stops) = (struct control_stop){ .thread = 2, .step = read };
	*vec_push(&plan.stops) = (struct control_stop){ .thread = 1, .step = write };
	struct outcome outcome = turns_run(session, &plan);
	const struct control_stop *stops = outcome.control->stops;
	assert_int_equal(outcome.control->stops_met, 1);
	assert_int_equal(stops[0].kind, EV_READ);
	assert_int_equal(stops[1].kind, EV_WRITE);
	assert_int_equal(stops[0].actual_step, read);
	assert_int_equal(stops[1].actual_step, write);
	assert_int_equal(stops[0].address, stops[1].address);
	assert_int_equal(stops[0].value, 40);
	assert_int_equal(stops[1].value, 40);
	/* the stopped threads continue in the order of the list, directly one after the other */
	assert_int_equal(position(&outcome, 2, read) + 1, position(&outcome, 1, write));
	plan_free(&plan);

	/* a stop that is never reached is given up, and the run ends normally */
	plan = plan_staying();
	*vec_push(&plan.stops) = (struct control_stop){ .thread = 1, .step = write };
	*vec_push(&plan.stops) = (struct control_stop){ .thread = 2, .step = 1000 };
	outcome = turns_run(session, &plan);
	assert_int_equal(outcome.result, CONTROL_ENDED);
	assert_int_equal(outcome.control->stops_met, 0);
	assert_int_equal(outcome.control->stops[0].reached, 1);
	assert_int_equal(outcome.control->stops[1].reached, 0);
	assert_true(position(&outcome, 2, read) < position(&outcome, 1, write));
	plan_free(&plan);
	runner_close(session);
}

/* ---- deadlocks, by runs and by rules --------------------------------------------------------- */

static void check_cycle(const struct outcome *outcome)
{
	unsigned in_cycle = 0;

	assert_int_equal(outcome->result, CONTROL_DEADLOCK);
	for (uint32_t i = 0; i < outcome->blocked_count; i++) {
		const struct control_blocked *b = &outcome->blocked[i];
		if (!b->in_cycle)
			continue;
		in_cycle++;
		assert_int_equal(b->kind, EV_ACQUIRE);
		assert_int_equal(b->how, CONTROL_BY_OWNER);
		assert_int_equal(b->owner, 3 - b->thread);
	}
	assert_int_equal(in_cycle, 2);
	/* main waits in a join and is not in the cycle */
	assert_int_equal(outcome->blocked_count, 3);
}

static void test_deadlock(void **state)
{
	char *words[3] = { NULL, "inversion", NULL };
	struct runner *session = open_program(words);
	uint32_t first = step_of(session, 1, EV_ACQUIRE, 0);
	struct plan plan = plan_staying();

	(void)state;
	struct outcome outcome = turns_run(session, &plan);
	assert_int_equal(outcome.result, CONTROL_ENDED);
	assert_int_equal(outcome.control->diverged_slice, CONTROL_NONE);
	/* step of main: it has created both threads by then */
	uint32_t made = position(&outcome, 1, 0);
	add_run(&plan, 0, outcome.events[made - 1].step + 1);
	add_run(&plan, 1, first + 1);
	add_run(&plan, 2, first + 1);
	outcome = turns_run(session, &plan);
	check_cycle(&outcome);
	assert_int_equal(outcome.control->slices_done, 3);
	plan_free(&plan);

	plan = plan_staying();
	*vec_push(&plan.rules) = (struct control_rule){ 2, first, 1, first + 1 };
	*vec_push(&plan.rules) = (struct control_rule){ 1, first, 2, first + 1 };
	outcome = turns_run(session, &plan);
	check_cycle(&outcome);
	assert_int_equal(outcome.control->rules_broken, 0);
	plan_free(&plan);

	/* two rules that block each other are given up */
	plan = plan_staying();
	*vec_push(&plan.rules) = (struct control_rule){ 2, 1, 1, 1 };
	*vec_push(&plan.rules) = (struct control_rule){ 1, 1, 2, 1 };
	outcome = turns_run(session, &plan);
	assert_int_equal(outcome.result, CONTROL_ENDED);
	assert_true(outcome.control->rules_broken > 0);
	plan_free(&plan);
	runner_close(session);
}

/* ---- choices --------------------------------------------------------------------------------- */

static int status_with(struct runner *session, uint32_t woken, uint32_t kind)
{
	struct plan plan = plan_staying();

	if (kind)
		*vec_push(&plan.choices) = (struct control_choice){ 1, woken, kind };
	struct outcome outcome = turns_run(session, &plan);
	assert_int_equal(outcome.result, CONTROL_ENDED);
	for (uint32_t i = 0; i < outcome.event_count; i++) {
		const struct control_event *e = &outcome.events[i];
		if (e->kind != EV_WOKEN)
			continue;
		assert_true(e->flags & CONTROL_EVENT_TIMED);
		assert_int_equal(!!(e->flags & CONTROL_EVENT_SPURIOUS), kind == CONTROL_SPURIOUS);
		assert_int_equal(!!(e->flags & CONTROL_EVENT_TIMED_OUT), kind == CONTROL_TIMEOUT);
	}
	plan_free(&plan);
	return WEXITSTATUS(outcome.status);
}

static void test_choices(void **state)
{
	char *words[3] = { NULL, "waiting", NULL };
	struct runner *session = open_program(words);
	uint32_t woken = step_of(session, 1, EV_WOKEN, 0);

	(void)state;
	assert_int_equal(status_with(session, woken, 0), 0);
	assert_int_equal(status_with(session, woken, CONTROL_SPURIOUS), 1);
	assert_int_equal(status_with(session, woken, CONTROL_TIMEOUT), 2);

	/* a plan that schedules the waiting thread before the signal makes its wait time out */
	struct plan plan = plan_staying();
	struct outcome outcome = turns_run(session, &plan);
	add_run(&plan, 0, outcome.events[position(&outcome, 1, 0) - 1].step + 1);
	add_run(&plan, 1, woken + 1);
	outcome = turns_run(session, &plan);
	assert_int_equal(WEXITSTATUS(outcome.status), 2);
	plan_free(&plan);
	runner_close(session);
}

/* ---- sleeps, limits, exits, divergence ------------------------------------------------------- */

static void test_sleeps(void **state)
{
	char *words[3] = { NULL, "race", NULL };
	struct runner *session = open_program(words);
	uint32_t read = step_of(session, 1, EV_READ, 0);
	struct plan plan = plan_staying();

	(void)state;
	struct outcome outcome = turns_run(session, &plan);
	add_run(&plan, 0, outcome.events[position(&outcome, 1, 0) - 1].step + 1);
	add_run(&plan, 1, read);
	add_run(&plan, 2, read);
	/* thread 1 sleeps before its read; a write of the same variable by thread 2 wakes it */
	*vec_push(&plan.sleeps) = 1;
	outcome = turns_run(session, &plan);
	assert_int_equal(outcome.result, CONTROL_ENDED);
	assert_true(position(&outcome, 2, read + 1) < position(&outcome, 1, read));
	/* both threads sleep, and main waits for them: no thread can run */
	*vec_push(&plan.sleeps) = 2;
	outcome = turns_run(session, &plan);
	assert_int_equal(outcome.result, CONTROL_ASLEEP);
	assert_int_equal(outcome.blocked_count, 3);
	plan_free(&plan);
	runner_close(session);
}

static void test_limit(void **state)
{
	char *words[3] = { NULL, "race", NULL };
	struct runner *session = open_program(words);
	struct plan plan = plan_staying();

	(void)state;
	plan.most_steps = 5;
	struct outcome outcome = turns_run(session, &plan);
	assert_int_equal(outcome.result, CONTROL_LIMIT);
	assert_int_equal(outcome.control->steps, 5);
	runner_close(session);
}

static void test_exit(void **state)
{
	char *words[3] = { NULL, "daemons", NULL };
	struct runner *session = open_program(words);
	struct plan plan = plan_staying();

	(void)state;
	struct outcome outcome = turns_run(session, &plan);
	assert_int_equal(outcome.result, CONTROL_ENDED);
	/* The other thread finishes before main ends the process … */
	assert_int_equal(outcome.blocked_count, 0);
	assert_int_equal(outcome.events[outcome.event_count - 1].kind, EV_END);
	assert_int_equal(outcome.events[outcome.event_count - 1].thread, 1);
	uint32_t last = 0;
	for (uint32_t i = 0; i < outcome.event_count; i++) {
		if (outcome.events[i].thread == 0)
			last = outcome.events[i].step;
	}
	/* … and a plan can say the same. */
	add_run(&plan, 0, last + 1);
	add_run(&plan, 1, 100);
	outcome = turns_run(session, &plan);
	assert_int_equal(outcome.result, CONTROL_ENDED);
	assert_int_equal(outcome.events[outcome.event_count - 1].kind, EV_END);
	assert_int_equal(outcome.events[outcome.event_count - 1].thread, 1);
	assert_int_equal(outcome.blocked_count, 0);
	plan_free(&plan);
	runner_close(session);
}

static void test_divergence(void **state)
{
	char *words[3] = { NULL, "inversion", NULL };
	struct runner *session = open_program(words);
	struct plan plan = plan_staying();
	uint32_t join = step_of(session, 0, EV_JOIN, 0);

	(void)state;
	add_run(&plan, 0, join + 1); /* this join is impossible before the other threads have run */
	struct outcome outcome = turns_run(session, &plan);
	assert_int_equal(outcome.result, CONTROL_ENDED);
	assert_int_equal(outcome.control->diverged_slice, 0);
	assert_int_equal(outcome.control->diverged_kind, EV_JOIN);
	plan_free(&plan);
	runner_close(session);
}

/* ---- names of threads ------------------------------------------------------------------------ */

/* The number of a thread depends only on its path, not on the order of creations. */
static void test_names(void **state)
{
	char *words[3] = { NULL, "nested", NULL };
	struct runner *session = open_program(words);
	struct plan plan = plan_staying();
	struct control_thread paths[8];

	(void)state;
	struct outcome outcome = turns_run(session, &plan);
	assert_int_equal(outcome.thread_count, 7);
	memcpy(paths, outcome.threads, 7 * sizeof(*paths));
	plan.policy = CONTROL_RANDOM;
	for (plan.seed = 1; plan.seed < 10; plan.seed++) {
		outcome = turns_run(session, &plan);
		assert_int_equal(outcome.thread_count, 7);
		assert_memory_equal(paths, outcome.threads, 7 * sizeof(*paths));
		for (uint32_t i = 0; i < outcome.event_count; i++)
			if (outcome.events[i].kind == EV_CREATE)
				assert_int_equal(paths[outcome.events[i].address].creator,
						 outcome.events[i].thread);
	}
	runner_close(session);
}

static int build_once(void **state)
{
	(void)state;
	turns_build("plans");
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stops),	   cmocka_unit_test(test_deadlock),
		cmocka_unit_test(test_choices),	   cmocka_unit_test(test_sleeps),
		cmocka_unit_test(test_limit),	   cmocka_unit_test(test_exit),
		cmocka_unit_test(test_divergence), cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, build_once, NULL);
}
