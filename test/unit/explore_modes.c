/*
 * The same plan gives the same run in all modes: executing the program again; a process for each
 * run, forked or with the server's memory, with kernel threads or fibers; and persistent. The
 * programs are those of test/modes.
 */
#include "explore/control/runner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SEEDS 12
#define WORDS 4096

struct way {
	const char *name;
	enum runner_mode mode;
	bool really_fork;
};
static const struct way ways[] = {
	{ "executed", RUNNER_ONCE, false },
	{ "memory lent", RUNNER_FORK, false },
	{ "forked", RUNNER_FORK, true },
	{ "memory lent, fibers", RUNNER_FORK_FIBERS, false },
	{ "forked, fibers", RUNNER_FORK_FIBERS, true },
	{ "persistent", RUNNER_PERSISTENT, false },
};
#define WAYS 6

static void build(const char *source, char *program)
{
	char command[2 * WORDS];
	const char *test = getenv("SOOTH_TEST");

	assert_non_null(test);
	bool is_cc = strstr(source, ".cc") != NULL;
	snprintf(program, WORDS, "./%s.program", source);
	snprintf(command, sizeof(command), "sooth-%s -O1 -g -pthread -o %s %s/modes/%s",
		 is_cc ? "c++" : "cc", program, test, source);
	assert_int_equal(system(command), 0);
}

/* Opens a session. `words` are the program and its arguments, which must outlive the session. */
static struct runner *open_session(char **words, const struct way *way)
{
	struct err err;
	struct runner_options options = { .program = words,
					  .mode = way->mode,
					  .quiet = true,
					  .seconds = 20,
					  .really_fork = way->really_fork };
	struct runner *session = runner_open(&options, &err);
	if (!session)
		fail_msg("%s", err.text);
	return session;
}

/* The parts of a run that are compared. */
struct seen {
	enum control_result result;
	int status;
	uint32_t count;
	struct control_event *events;
	bool lent;
};

static struct seen run(struct runner *session, uint32_t policy, uint64_t seed)
{
	struct executor *executor = runner_executor(session);
	struct plan plan = { .policy = policy, .seed = seed, .options = CONTROL_END_STUCK };
	struct outcome outcome;
	struct err err;

	if (!executor->run(executor, &plan, &outcome, &err))
		fail_msg("%s", err.text);
	struct seen seen = { outcome.result, outcome.status, outcome.event_count, NULL,
			     outcome.control->options & CONTROL_SHARED_MEMORY };
	seen.events = malloc((seen.count + 1) * sizeof(*seen.events));
	memcpy(seen.events, outcome.events, seen.count * sizeof(*seen.events));
	return seen;
}

static void compare_event(const struct control_event *a, const struct control_event *b, uint32_t i,
			  const char *where)
{
	if (a->thread == b->thread && a->step == b->step && a->kind == b->kind &&
	    a->flags == b->flags && a->size == b->size && a->address == b->address &&
	    a->other == b->other && a->site == b->site)
		return;
	fail_msg("%s: event %u: thread %u step %u kind %u flags %u size %u address %#lx value %#lx "
		 "site %#lx, but executed: thread %u step %u kind %u flags %u size %u address %#lx "
		 "value "
		 "%#lx site %#lx",
		 where, i, b->thread, b->step, b->kind, b->flags, b->size, b->address, b->other,
		 b->site, a->thread, a->step, a->kind, a->flags, a->size, a->address, a->other,
		 a->site);
}

static void compare(const struct seen *a, const struct seen *b, const char *where)
{
	for (uint32_t i = 0; i < a->count && i < b->count; i++)
		compare_event(&a->events[i], &b->events[i], i, where);
	if (a->result != b->result || a->count != b->count || a->status != b->status)
		fail_msg("%s: result %d status %#x after %u events, but executed: %d, %#x after %u",
			 where, b->result, (unsigned)b->status, b->count, a->result,
			 (unsigned)a->status, a->count);
}

static unsigned compare_all(const char *source, uint32_t policy)
{
	char program[WORDS], where[WORDS], *words[] = { program, NULL };
	struct runner *sessions[WAYS];
	unsigned results = 0;

	build(source, program);
	for (int way = 0; way < WAYS; way++)
		sessions[way] = open_session(words, &ways[way]);
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct seen first = run(sessions[0], policy, seed);
		for (int way = 1; way < WAYS; way++) {
			struct seen seen = run(sessions[way], policy, seed);
			snprintf(where, sizeof(where), "%s, policy %u, seed %lu, %s", source,
				 policy, seed, ways[way].name);
			compare(&first, &seen, where);
			free(seen.events);
		}
		results |= 1u << first.result;
		free(first.events);
	}
	for (int way = 0; way < WAYS; way++) {
		if (runner_mode(sessions[way]) != ways[way].mode)
			fail_msg("%s, %s: %s", source, ways[way].name,
				 runner_fallback(sessions[way]));
		runner_close(sessions[way]);
	}
	return results;
}

static void same(const char *source)
{
	assert_int_equal(compare_all(source, CONTROL_STAY), 1u << CONTROL_ENDED);
	assert_int_equal(compare_all(source, CONTROL_RANDOM), 1u << CONTROL_ENDED);
	assert_int_equal(compare_all(source, CONTROL_PRIORITIES), 1u << CONTROL_ENDED);
}

static void locks(void **state)
{
	(void)state;
	same("locks.c");
}

static void exceptions(void **state)
{
	(void)state;
	same("exceptions.cc");
}

static void variables(void **state)
{
	(void)state;
	same("variables.cc");
}

static void ends(void **state)
{
	(void)state;
	same("ends.c");
}

static void misuse(void **state)
{
	(void)state;
	same("misuse.c");
}

static void memory(void **state)
{
	(void)state;
	same("memory.c");
}

/* A failing run does not affect the next run. */
static void failing(void **state)
{
	(void)state;
	unsigned results = compare_all("failing.c", CONTROL_RANDOM);
	assert_true(results & 1u << CONTROL_DEADLOCK);
	assert_true(results & ~(1u << CONTROL_DEADLOCK));
}

/* A program that cannot be run in one mode is run in another one, and the reason is reported. */
static void unfit(void **state)
{
	static const struct {
		const char *what;
		enum runner_mode mode;
		const char *why;
	} cases[] = {
		{ "nothing", RUNNER_PERSISTENT, NULL },
		{ "map", RUNNER_PERSISTENT, NULL },
		{ "alarm", RUNNER_FORK_FIBERS, "alarm" },
		{ "limit", RUNNER_FORK_FIBERS, "setrlimit" },
		{ "library", RUNNER_FORK_FIBERS, "a library is loaded" },
		{ "remap", RUNNER_FORK_FIBERS, "mremap" },
		{ "fork", RUNNER_FORK, "fork" },
		{ "kill", RUNNER_FORK, "pthread_kill" },
		{ "robust", RUNNER_FORK, "robust mutexes" },
		{ "pipe", RUNNER_FORK, "" },
	};
	char program[WORDS];

	(void)state;
	build("unfit.c", program);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *words[] = { program, (char *)cases[i].what, NULL };
		struct runner *session = open_session(words, &ways[WAYS - 1]);
		for (uint64_t seed = 1; seed < 10; seed++) {
			struct seen seen = run(session, CONTROL_STAY, seed);
			free(seen.events);
			if (seen.result != CONTROL_ENDED || seen.status != 0)
				fail_msg("%s: result %d, status %#x", cases[i].what, seen.result,
					 (unsigned)seen.status);
		}
		const char *why = runner_fallback(session);
		if (runner_mode(session) != cases[i].mode)
			fail_msg("%s: mode %d, not %d: %s", cases[i].what, runner_mode(session),
				 cases[i].mode, why ? why : "no reason");
		if (cases[i].why && (!why || !strstr(why, cases[i].why)))
			fail_msg("%s: other reason: %s", cases[i].what, why ? why : "none");
		runner_close(session);
	}
}

/*
 * A program that cannot run in the server's memory is run in a forked copy. The session neither
 * switches between threads and fibers nor executes the program again.
 */
static void unfit_for_lent_memory(void **state)
{
	static const struct {
		const char *what;
		bool fits;
	} cases[] = {
		{ "nothing", true }, { "map", true },	  { "alarm", true },	{ "limit", true },
		{ "fork", true },    { "pipe", true },	  { "robust", true },	{ "kill", true },
		{ "remap", false },  { "hidden", false }, { "library", false },
	};
	char program[WORDS];

	(void)state;
	build("unfit.c", program);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *words[] = { program, (char *)cases[i].what, NULL };
		struct runner *session = open_session(words, &ways[1]);
		bool lent = false;
		for (uint64_t seed = 1; seed < 40; seed++) {
			struct seen seen = run(session, CONTROL_STAY, seed);
			free(seen.events);
			lent = seen.lent;
			if (seen.result != CONTROL_ENDED || seen.status != 0)
				fail_msg("%s: result %d, status %#x", cases[i].what, seen.result,
					 (unsigned)seen.status);
		}
		if (lent != cases[i].fits)
			fail_msg("%s: memory is %slent", cases[i].what, lent ? "" : "not ");
		assert_int_equal(runner_mode(session), RUNNER_FORK);
		runner_close(session);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(locks),
		cmocka_unit_test(exceptions),
		cmocka_unit_test(variables),
		cmocka_unit_test(ends),
		cmocka_unit_test(memory),
		cmocka_unit_test(failing),
		cmocka_unit_test(misuse),
		cmocka_unit_test(unfit),
		cmocka_unit_test(unfit_for_lent_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
