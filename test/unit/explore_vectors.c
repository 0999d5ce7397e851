/* The scheduler must preserve all vector registers of a thread that it stops before an access. */
#include "turns.h"

#define SEEDS 10

static void check_end(const char *name, const struct plan *plan, const struct outcome *outcome)
{
	if (outcome->result != CONTROL_ENDED || outcome->status != 0)
		fail_msg("%s, seed %lu: result %d (%s), status %#x", name, plan->seed,
			 outcome->result, outcome->control->text, (unsigned)outcome->status);
}

/*
 * The turn goes from thread to thread. Fibers save the registers themselves; for kernel threads the
 * kernel does.
 */
static void test_handed(void **state)
{
	static const enum runner_mode modes[] = { RUNNER_FORK, RUNNER_FORK_FIBERS,
						  RUNNER_PERSISTENT };
	char *words[] = { "./vectors", "handed", NULL };

	(void)state;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		struct runner *session = turns_open(words, modes[i]);
		struct plan plan = { .policy = CONTROL_RANDOM };
		uint32_t switches = 0;

		for (plan.seed = 1; plan.seed <= SEEDS; plan.seed++) {
			struct outcome outcome = turns_run(session, &plan);
			check_end("handed", &plan, &outcome);
			switches += outcome.control->switches;
		}
		assert_true(switches > 10 * SEEDS);
		assert_int_equal(runner_mode(session), modes[i]);
		runner_close(session);
	}
}

/*
 * Returns the step of a thread's first write to `*address`. If `*address` is 0, finds a write to
 * any address, and sets `*address`.
 */
static uint32_t step_of_write(const struct outcome *outcome, uint32_t thread, uint64_t *address)
{
	for (uint32_t i = 0; i < outcome->event_count; i++) {
		const struct control_event *e = &outcome->events[i];
		if (e->thread != thread || e->kind != EV_WRITE ||
		    (*address && e->address != *address))
			continue;
		*address = e->address;
		return e->step;
	}
	fail_msg("T%u does not write there", thread);
	return 0;
}

/*
 * T1 is stopped before its access until T2 has done its own. Then T2 has the turn and waits in the
 * kernel for T1. Only T1 can find out that it must continue.
 */
static void test_awaited(void **state)
{
	char *words[] = { "./vectors", "awaited", NULL };
	struct runner *session = turns_open(words, RUNNER_FORK);
	struct plan plan = { .policy = CONTROL_STAY };
	uint64_t address = 0;

	(void)state;
	struct outcome outcome = turns_run(session, &plan);
	check_end("awaited, T1 first", &plan, &outcome);
	uint32_t first = step_of_write(&outcome, 2, &address);
	uint32_t held = step_of_write(&outcome, 1, &address);
	*vec_push(&plan.rules) = (struct control_rule){ 2, first, 1, held };
	outcome = turns_run(session, &plan);
	check_end("awaited, T1 held", &plan, &outcome);
	assert_int_equal(outcome.control->rules_broken, 0);
	plan_free(&plan);
	runner_close(session);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_handed),
		cmocka_unit_test(test_awaited),
	};
	turns_build("vectors");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
