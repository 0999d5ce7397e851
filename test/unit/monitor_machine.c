/* Tests machines of formulas: variables, events, `becomes`, unknown values, and fences. */
#include "monitor_make.h"

/* `doubted`: must the machine report that something was unknown? */
static void expect_doubt(const char *property, const char *word, const char *verdicts, bool doubted)
{
	struct made m;
	struct machine *machine;

	made_open(&m, property);
	made_word(&m, word);
	machine = made_machine(&m, NULL);
	assert_string_equal(made_verdicts(&m, machine), verdicts);
	/* a second time, with the results that the machine has cached */
	assert_string_equal(made_verdicts(&m, machine), verdicts);
	assert_int_equal(machine->doubt(machine->self) != NULL, doubted);
	machine_close(machine);
	made_close(&m);
}

static void expect(const char *property, const char *word, const char *verdicts)
{
	expect_doubt(property, word, verdicts, false);
}

#define EVENTS "property P { event a = call f(); event b = call g(); "

static void test_past(void **state)
{
	const char *landing = "property P { always start(x == 1) => [y == 1, z == 0); }";

	(void)state;
	/* approved (y), radio (z), landing (x) */
	expect(landing, "z=1 y=1 x=1", "....");
	expect(landing, "z=1 y=1 x=1 z=0", ".....");
	expect(landing, "z=1 y=1 z=0 x=1", "....B");
	expect(EVENTS "always b => once a; }", "a b b", "....");
	expect(EVENTS "always b => once a; }", "- b", "..B");
	expect(EVENTS "always b => prev a; }", "a b", "...");
	expect(EVENTS "always b => prev a; }", "a - b", "...B");
	expect(EVENTS "never a && b; }", "a b a,b", "...B");
	expect("property P { always x < y; }", "x=3 x.1=1", "..B");
	expect("property P { always x < y; }", "y=6,x=5 y=-1", "..B");
	expect("property P { always x >= 0; }", "x=-1", ".B");
	/* before anything happened */
	expect("property P { always y == 4; }", "y=4", "B");
	expect("property P { always 1; }", "x=1", "..");
	expect("property P { never 1; }", "", "B");
}

static void test_becomes(void **state)
{
	const char *once = "property P { event up = becomes(x > 0); never up && prev once up; }";
	const char *only = "property P { event up = becomes(x > 0), call f(); ere: up*; }";
	const char *few = "property P { event up = becomes(x > 0) if (y == 5); "
			  "event other = call f(); ere: other up; }";

	(void)state;
	expect(once, "x=1 x=2 y=0 x=7", ".....");
	expect(once, "x=1 x=0 x=7", "...B");
	expect(only, "x=1 x=2 up x=0 x=3", "SSSSSS");
	expect(few, "x=1", "!B");
	expect(few, "x=0 up", "!!B");
	expect(few, "y=4 x=1 x=0 other y=5 x=1", "!!!!!!.");
}

static void test_future(void **state)
{
	(void)state;
	expect(EVENTS "ltl: always a => next b; }", "a b", ".!.");
	expect(EVENTS "ltl: always a => next b; }", "a a", ".!B");
	expect(EVENTS "ltl: always a => eventually b; }", "a - b - a", ".!!..!");
	expect("property P { ltl: x == 0 until y == 0; }", "x=0 y=0 x=1", "!!SS");
	expect("property P { ltl: x == 0 until y == 0; }", "x=1", "!B");
	expect("property P { ltl: next x == 1; }", "x=1 x=0", "!SS");
	expect("property P { ltl: x == 1; }", "x=1", "B");
	expect("property P { ltl: !next 1; }", "-", ".B");
}

static void test_ere(void **state)
{
	(void)state;
	expect(EVENTS "ere: (a b)*; }", "a b a", ".!.!");
	expect(EVENTS "ere: (a b)*; }", "a - x=1 b", ".!!!.");
	expect(EVENTS "ere: (a b)*; }", "a a", ".!B");
	/* events at once: a set of events that contains a matches a */
	expect(EVENTS "ere: a b; }", "a,b a,b", "!!.");
	expect(EVENTS "ere: ~(.* b a .*); }", "a b a", "...B");
	expect(EVENTS "ere: empty; }", "", "B");
}

/* A verdict that depends on an unknown value is not claimed; others are. */
static void test_unknown(void **state)
{
	(void)state;
	expect_doubt("property P { always z == 0; }", "x=1 z=1", "SSS", true);
	expect("property P { always x == 1 => z == 0; }", "z=0 x=1 z=1", "...B");
	expect_doubt("property P { always x == 1 => z == 0; }", "x=1 z=1", ".SS", true);
	expect_doubt("property P { always x != 3 => y == 5; }", "x=? x=0 y=4", "...B", false);
	expect_doubt("property P { never x == 3; }", "x=? x=3", ".SS", true);
	expect("property P { ltl: always (y == 5 || z == 0); }", "z=? x=1 z=1 y=4", "....B");
	expect_doubt("property P { always nowhere == 0; }", "x=1", "SS", true);
	expect_doubt("property P { event up = becomes(z > 0); ere: epsilon; }", "x=1 z=1", "..S",
		     true);
	/* z was not above 0 before, so it becomes so */
	expect("property P { event up = becomes(z > 0); ere: epsilon; }", "z=0 z=1", "..B");
}

/* A counter with many values: `x > 10` distinguishes only two classes of them. */
static void test_fold(void **state)
{
	struct made m;
	struct machine *machine;
	machine_states next = { 0 };
	uint32_t at, most = 0;
	struct err err;

	(void)state;
	made_open(&m, "property P { always x > 10 => once y == 3; }");
	made_word(&m, "y=3");
	for (int64_t i = 0; i < 1000; i++) {
		struct label_write w = { .size = 8 };

		memcpy(w.bytes, &i, sizeof i);
		*vec_push(&m.word) =
			labels_put(&m.labels, &(struct label){ .writes = &w, .write_count = 1 });
	}
	machine = made_machine(&m, NULL);
	at = machine->initial(machine->self);
	for (size_t i = 0; i < m.word.count; i++) {
		next.count = 0;
		assert_true(machine->step(machine->self, at, m.word.items[i], &next, &err));
		at = next.items[0];
		most = at > most ? at : most;
		assert_false(machine->is_bad(machine->self, at));
	}
	assert_true(most < 5);
	vec_free(&next);
	machine_close(machine);
	made_close(&m);
}

static void test_parameter(void **state)
{
	struct made m;
	struct machine *machine;
	uint32_t binding[] = { 1 };

	(void)state;
	made_open(&m, "property P(int n) { event a = call f(n); always a => n == 7; }");
	*vec_push(&m.set.properties.items[0].values) = (struct property_value){ .bits = 7 };
	*vec_push(&m.set.properties.items[0].values) = (struct property_value){ .bits = 8 };
	m.labels.binding = binding;
	made_word(&m, "a");
	machine = made_machine(&m, NULL);
	assert_string_equal(made_verdicts(&m, machine), ".B");
	machine_close(machine);
	binding[0] = 0;
	machine = made_machine(&m, NULL);
	assert_string_equal(made_verdicts(&m, machine), "..");
	machine_close(machine);
	made_close(&m);
}

static bool minds(const char *formula)
{
	struct made m;
	char text[256];
	bool answer;

	snprintf(text, sizeof text, EVENTS "%s }", formula);
	made_open(&m, text);
	answer = machine_needs_fences(m.file->properties->formulas);
	made_close(&m);
	return answer;
}

static void test_neighbours(void **state)
{
	(void)state;
	assert_false(minds("always x == 1;"));
	assert_false(minds("always start(x == 1) => once y == 1;"));
	assert_false(minds("always b => once a;"));
	assert_false(minds("ere: a b;"));
	assert_false(minds("ltl: always a => eventually b;"));
	assert_true(minds("always b => prev a;"));
	assert_true(minds("never prev (x == 1) && y == 1;"));
	assert_true(minds("always a;"));
	assert_true(minds("ltl: always x == 1 => next y == 1;"));
}

/*
 * Column 0 writes (message 0), creates a thread, and writes again (message 1). Column 1 is the
 * created thread (message 2).
 */
static void test_fences(void **state)
{
	const struct message_need own[] = { { 0, 1 } };
	struct message messages[] = {
		{ .column = 0, .position = 0 },
		{ .column = 0, .position = 1, .fences = own, .fence_count = 1 },
		{ .column = 1, .position = 0, .fences = own, .fence_count = 1 },
	};
	struct made m;
	struct machine *machine;

	(void)state;
	made_open(&m, EVENTS "never b && prev a; }");
	made_word(&m, "a b");
	messages[0].label = messages[2].label = m.word.items[0];
	messages[1].label = m.word.items[1];
	machine = machine_with_fences(made_machine(&m, NULL), messages, 3);
	m.word.count = 0;
	/* the word: a, (creation), b */
	*vec_push(&m.word) = 1;
	*vec_push(&m.word) = 2;
	assert_string_equal(made_verdicts(&m, machine), "...");
	/* the word: a, (creation), a', b; here b directly follows a' */
	m.word.items[1] = 3;
	*vec_push(&m.word) = 2;
	assert_string_equal(made_verdicts(&m, machine), "...B");
	assert_null(machine->doubt(machine->self));
	machine_close(machine);
	made_close(&m);

	/* formulas that are violated by a state without events */
	made_open(&m, EVENTS "always a || b || sofar (!a && !b); }");
	made_word(&m, "a b");
	messages[0].label = messages[2].label = m.word.items[0];
	messages[1].label = m.word.items[1];
	assert_string_equal(made_verdicts(&m, machine = made_machine(&m, NULL)), "...");
	machine = machine_with_fences(machine, messages, 3);
	m.word.items[0] = 1;
	m.word.items[1] = 2;
	assert_string_equal(made_verdicts(&m, machine), "..B");
	machine_close(machine);
	made_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_past),	  cmocka_unit_test(test_becomes),
		cmocka_unit_test(test_future),	  cmocka_unit_test(test_ere),
		cmocka_unit_test(test_unknown),	  cmocka_unit_test(test_fold),
		cmocka_unit_test(test_parameter), cmocka_unit_test(test_neighbours),
		cmocka_unit_test(test_fences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
