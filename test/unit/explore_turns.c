/*
 * Tests the controlled scheduler with each kind of object. Each program must have the expected
 * result in three kinds of runs: each thread continues as long as it can; the next thread is
 * random; random priorities. Repeating a run gives the same events, and so does a run whose plan is
 * the order of another run.
 */
#include "turns.h"

#include <signal.h>

#define SEEDS 4

/* ---- what each comes to ---------------------------------------------------------------------- */

/*
 * POLLS: polling for the end of a thread is no step, so the order of steps does not say how often
 * the program polls. OUTSIDE: the program waits in the kernel, and the scheduler does not decide
 * when it returns.
 */
static const struct expected {
	const char *name;
	enum control_result result;
	int status; /* status as waitpid() returns it */
	enum { EXACT, POLLS, OUTSIDE } how;
} expected[] = {
	{ "mutex", CONTROL_ENDED, 0, EXACT },
	{ "recursive", CONTROL_ENDED, 0, EXACT },
	{ "errorcheck", CONTROL_ENDED, 0, EXACT },
	{ "robust", CONTROL_ENDED, 0, EXACT },
	{ "trying", CONTROL_ENDED, 0, EXACT },
	{ "timed", CONTROL_ENDED, 0, EXACT },
	{ "own_again", CONTROL_DEADLOCK, 0, EXACT },
	{ "rwlock", CONTROL_ENDED, 0, EXACT },
	{ "spin_lock", CONTROL_ENDED, 0, EXACT },
	{ "file_lock", CONTROL_ENDED, 0, EXACT },
	{ "c11", CONTROL_ENDED, 0, EXACT },
	{ "broadcast", CONTROL_ENDED, 0, EXACT },
	{ "signals", CONTROL_ENDED, 0, EXACT },
	{ "timed_wait", CONTROL_ENDED, 0, EXACT },
	{ "lost_signal", CONTROL_STUCK, 0, EXACT },
	{ "semaphores", CONTROL_ENDED, 0, EXACT },
	{ "barriers", CONTROL_ENDED, 0, EXACT },
	{ "once", CONTROL_ENDED, 0, EXACT },
	{ "spin", CONTROL_ENDED, 0, EXACT },
	{ "spin_yielding", CONTROL_ENDED, 0, EXACT },
	{ "spin_sleeping", CONTROL_ENDED, 0, EXACT },
	{ "yielding", CONTROL_ENDED, 0, EXACT },
	{ "spin_locked", CONTROL_ENDED, 0, EXACT },
	{ "own_lock", CONTROL_ENDED, 0, EXACT },
	{ "spin_until", CONTROL_ENDED, 0, EXACT },
	{ "pipes", CONTROL_ENDED, 0, OUTSIDE },
	{ "unseen", CONTROL_ENDED, 0, OUTSIDE },
	{ "cancel", CONTROL_ENDED, 0, EXACT },
	{ "join_variants", CONTROL_ENDED, 0, POLLS },
	{ "failing", CONTROL_ASSERTION, SIGABRT, EXACT },
	{ "abort", CONTROL_ABORTED, SIGABRT, EXACT },
	{ "crashing", CONTROL_CRASHED, SIGSEGV, EXACT },
	{ "leaving", CONTROL_ENDED, 5 << 8, EXACT },
	{ "used_after", CONTROL_USE_AFTER_FREE, SIGSEGV, EXACT },
};
#define EXPECTED (sizeof(expected) / sizeof(expected[0]))

static void check_run(const struct expected *e, const struct plan *plan,
		      const struct outcome *outcome)
{
	if (outcome->result != e->result || (outcome->status & 0xff7f) != e->status)
		fail_msg("%s, policy %u, seed %lu: result %d (%s), status %#x", e->name,
			 plan->policy, plan->seed, outcome->result, outcome->control->text,
			 (unsigned)outcome->status);
	assert_false(outcome->events_lost);
}

/*
 * Repeats a run with its own order as the plan, and with its original plan. Both must give the same
 * run.
 */
static void check_again(const struct expected *e, struct runner *session, const struct plan *plan,
			const struct outcome *outcome)
{
	uint32_t count = outcome->event_count;
	struct control_event *events = turns_keep(outcome);
	struct plan follow = { .policy = CONTROL_STAY, .options = plan->options };
	char where[256];

	if (e->how != OUTSIDE) {
		struct outcome again = turns_run(session, plan);
		snprintf(where, sizeof(where), "%s, policy %u, seed %lu, again", e->name,
			 plan->policy, plan->seed);
		turns_compare(events, count, &again, where);
	}
	turns_follow(&follow, events, count);
	struct outcome again = turns_run(session, &follow);
	snprintf(where, sizeof(where), "%s, policy %u, seed %lu, as a plan", e->name, plan->policy,
		 plan->seed);
	check_run(e, &follow, &again);
	if (e->how == EXACT)
		turns_compare(events, count, &again, where);
	plan_free(&follow);
	free(events);
}

static void test_objects(void **state)
{
	(void)state;
	turns_build("objects");
	for (size_t i = 0; i < EXPECTED; i++) {
		char *words[] = { "./objects", (char *)expected[i].name, NULL };
		struct runner *session = turns_open(words, RUNNER_FORK);
		for (uint32_t policy = CONTROL_STAY; policy <= CONTROL_PRIORITIES; policy++) {
			for (uint64_t seed = 1; seed <= (policy ? SEEDS : 1); seed++) {
				struct plan plan = { .policy = policy,
						     .seed = seed,
						     .options =
							     CONTROL_END_STUCK | CONTROL_CHECK_HEAP,
						     .most_steps = 100000 };
				struct outcome outcome = turns_run(session, &plan);
				check_run(&expected[i], &plan, &outcome);
				check_again(&expected[i], session, &plan, &outcome);
			}
		}
		runner_close(session);
	}
}

/* ---- the same order, two hundred times ------------------------------------------------------- */

static void test_two_hundred(void **state)
{
	char *words[] = { "./objects", "broadcast", NULL };
	struct runner *session = turns_open(words, RUNNER_ONCE);
	struct plan plan = { .policy = CONTROL_PRIORITIES,
			     .seed = 7,
			     .options = CONTROL_END_STUCK };

	(void)state;
	struct outcome first = turns_run(session, &plan);
	struct control_event *events = turns_keep(&first);
	uint32_t count = first.event_count;
	assert_true(count > 20 && first.control->switches > 4);
	for (int i = 0; i < 200; i++) {
		struct outcome again = turns_run(session, &plan);
		turns_compare(events, count, &again, "200 times");
	}
	free(events);
	runner_close(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_objects),
		cmocka_unit_test(test_two_hundred),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
