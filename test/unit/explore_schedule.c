/*
 * Schedules as text: a schedule that is written and read again is the same. Errors in a schedule
 * are reported with their line.
 */
#include "explore/control/run_outcome.h"
#include "explore/control/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[64];

static int make_path(void **state)
{
	int fd;

	(void)state;
	strcpy(path, "/tmp/sooth-test-XXXXXX");
	fd = mkstemp(path);
	close(fd);
	return fd < 0;
}

static int drop_path(void **state)
{
	(void)state;
	return unlink(path);
}

static char *copy(const char *text)
{
	return strdup(text);
}

static struct schedule_step step(uint32_t thread, uint32_t number, const char *name, uint64_t nth)
{
	return (struct schedule_step){ thread, number, name ? copy(name) : NULL, nth };
}

static void assert_step(const struct schedule_step *seen, uint32_t thread, uint32_t number,
			const char *name, uint64_t nth)
{
	assert_int_equal(seen->thread, thread);
	assert_int_equal(seen->step, number);
	if (!name) {
		assert_null(seen->name);
		return;
	}
	assert_string_equal(seen->name, name);
	assert_int_equal(seen->occurrence, nth);
}

static void written_and_read(void **state)
{
	struct schedule s = { .about = copy("two of them"), .expect = copy("race") }, seen;
	struct err err = { 0 };

	(void)state;
	s.options = CONTROL_END_STUCK | CONTROL_TIMEOUTS;
	*vec_push(&s.threads) = (struct control_thread){ CONTROL_NONE, 0 };
	*vec_push(&s.threads) = (struct control_thread){ 0, 0 };
	*vec_push(&s.threads) = (struct control_thread){ CONTROL_NONE, 0 }; /* no creator */
	*vec_push(&s.threads) = (struct control_thread){ 1, 2 };
	*vec_push(&s.slices) = step(0, 12, "fork - a.c:3:main", 2);
	*vec_push(&s.slices) = step(3, 7, NULL, 0);
	*vec_push(&s.stops) = step(3, 8, "w x.y%20z a.c:9:f", 40);
	*vec_push(&s.ends) = step(1, 1, "acq m a.c:1:g", 1);
	*vec_push(&s.choices) =
		(struct schedule_choice){ step(1, 5, "woken c a.c:2:g", 1), CONTROL_TIMEOUT };
	schedule_expect_property(&s, "Closed", 2);
	assert_true(schedule_write(&s, path, &err));
	if (!schedule_read(&seen, path, &err))
		fail_msg("%s", err.text);
	assert_string_equal(seen.expect, "race");
	assert_string_equal(seen.property, "Closed");
	assert_int_equal(seen.formula, 2);
	assert_int_equal(seen.options, s.options);
	assert_int_equal(seen.threads.count, 4);
	assert_int_equal(seen.threads.items[2].creator, CONTROL_NONE);
	assert_int_equal(seen.threads.items[3].creator, 1);
	assert_int_equal(seen.threads.items[3].child, 2);
	assert_int_equal(seen.slices.count, 2);
	assert_step(&seen.slices.items[0], 0, 12, "fork - a.c:3:main", 2);
	assert_step(&seen.slices.items[1], 3, 7, NULL, 0);
	assert_int_equal(seen.stops.count, 1);
	assert_step(&seen.stops.items[0], 3, 8, "w x.y%20z a.c:9:f", 40);
	assert_int_equal(seen.ends.count, 1);
	assert_step(&seen.ends.items[0], 1, 1, "acq m a.c:1:g", 1);
	assert_int_equal(seen.choices.count, 1);
	assert_int_equal(seen.choices.items[0].kind, CONTROL_TIMEOUT);
	assert_step(&seen.choices.items[0].at, 1, 5, "woken c a.c:2:g", 1);
	schedule_free(&s);
	schedule_free(&seen);
}

static void damaged_texts(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "", "not a schedule" },
		{ "hello\n", "not a schedule" },
		{ "sooth-schedule 1\n", "no line \"expect\"" },
		{ "sooth-schedule 1\nexpect\n", ":2:" },
		{ "sooth-schedule 1\nexpect race race\n", ":2:" },
		{ "sooth-schedule 1\nexpect race\nexpect race\n", ":3:" },
		{ "sooth-schedule 1\nexpect race\nrun\n", ":3:" },
		{ "sooth-schedule 1\nexpect pattern\nproperty P\n", ":3:" },
		{ "sooth-schedule 1\nexpect pattern\nproperty P 1\nproperty Q 1\n", ":4:" },
		{ "sooth-schedule 1\nexpect race\nrun 1\n", ":3:" },
		{ "sooth-schedule 1\nexpect race\nrun 1 -2\n", ":3:" },
		{ "sooth-schedule 1\nexpect race\nrun 4096 1\n", ":3:" },
		{ "sooth-schedule 1\nexpect race\nrun 1 4294967295\n", ":3:" },
		{ "sooth-schedule 1\nexpect race\nrun 1 99999999999999999999\n", ":3:" },
		{ "sooth-schedule 1\nexpect race\nrun 1 2 w\n", ":3:" },
		{ "sooth-schedule 1\nexpect race\nrun 1 2 w x a.c:1:f\n", ":3:" },
		{ "sooth-schedule 1\nexpect race\nrun 1 2 w x a.c:1:f 0\n", ":3:" },
		{ "sooth-schedule 1\nexpect race\nrun 1 2 w x a.c:1:f 1 1\n", ":3:" },
		{ "sooth-schedule 1\nexpect race\nthread 0 0 0\n", ":3:" },
		{ "sooth-schedule 1\nexpect race\nthread 1 0\n", ":3:" },
		{ "sooth-schedule 1\nexpect race\noption everything\n", ":3:" },
		{ "sooth-schedule 1\nexpect race\n# fine\n\njump 1 2\n", ":5:" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct schedule s;
		struct err err = { 0 };
		FILE *file = fopen(path, "w");

		fputs(cases[i].text, file);
		fclose(file);
		assert_false(schedule_read(&s, path, &err));
		if (!strstr(err.text, cases[i].message) || !strstr(err.text, path))
			fail_msg("case %zu: %s", i, err.text);
	}
}

static void too_many_stops(void **state)
{
	struct schedule s;
	struct err err = { 0 };
	FILE *file = fopen(path, "w");

	(void)state;
	fputs("sooth-schedule 1\nexpect race\n", file);
	for (unsigned i = 0; i <= CONTROL_STOPS; i++)
		fputs("stop 1 2\n", file);
	fclose(file);
	assert_false(schedule_read(&s, path, &err));
	assert_non_null(strstr(err.text, ":67:"));
}

static void files_that_are_not_there(void **state)
{
	struct schedule s = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_false(schedule_read(&s, "/nonexistent/x.schedule", &err));
	s.expect = copy("race");
	assert_false(schedule_write(&s, "/nonexistent/x.schedule", &err));
	schedule_free(&s);
}

/* ---- what was read -------------------------------------------------------------------------- */

static void differences(void **state)
{
	run_outcome_reads a = { 0 }, b = { 0 };
	size_t in_a, in_b;

	(void)state;
	*vec_push(&a) = (struct run_outcome_read){ 1, 5, 4, 100, 0x10, 7 };
	*vec_push(&a) = (struct run_outcome_read){ 2, 5, 4, 104, 0x10, 8 };
	*vec_push(&a) = (struct run_outcome_read){ 2, 6, 4, 108, 0x10, 9 };
	*vec_push(&b) = (struct run_outcome_read){ 2, 5, 4, 104, 0x10, 8 };
	*vec_push(&b) = (struct run_outcome_read){ 1, 5, 4, 100, 0x10, 7 };
	assert_false(run_outcome_find_difference(&a, &b, &in_a, &in_b));
	*vec_push(&b) = (struct run_outcome_read){ 2, 6, 4, 112, 0x10, 1 }; /* another site */
	*vec_push(&b) = (struct run_outcome_read){ 3, 1, 4, 112, 0x10, 1 }; /* another thread */
	assert_false(run_outcome_find_difference(&a, &b, &in_a, &in_b));
	b.items[1].value = 6;
	assert_true(run_outcome_find_difference(&a, &b, &in_a, &in_b));
	assert_int_equal(in_a, 0);
	assert_int_equal(in_b, 1);
	vec_free(&a);
	vec_free(&b);
}

/* ---- how a run ended ------------------------------------------------------------------------ */

/* A run that a limit ended may only be slow: it is not a hang. */
static void ends_by_a_limit(void **state)
{
	static const enum control_result limits[] = { CONTROL_LIMIT, CONTROL_HUNG };
	struct control control = { 0 };
	struct run_outcome effect;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct outcome outcome = { .result = limits[i], .control = &control };

		run_outcome_of_end(&effect, &outcome, &(struct run_outcome_source){ 0 }, 0);
		assert_int_equal(effect.kind, RUN_OUTCOME_UNDECIDED);
		assert_false(control_is_failure(limits[i]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(written_and_read, make_path, drop_path),
		cmocka_unit_test_setup_teardown(damaged_texts, make_path, drop_path),
		cmocka_unit_test_setup_teardown(too_many_stops, make_path, drop_path),
		cmocka_unit_test(files_that_are_not_there),
		cmocka_unit_test(differences),
		cmocka_unit_test(ends_by_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
